// The bindings of the Worker in the driver tests.
declare namespace Cloudflare {
  interface Env {
    CONTAINER: DurableObjectNamespace<import("./worker.ts").DoubledContainer>;
    SANDBOX: DurableObjectNamespace<import("./worker.ts").NotingSandbox>;
  }
}
