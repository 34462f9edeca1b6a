// The bindings of the Worker under the tests of drivers.
declare namespace Cloudflare {
  interface Env {
    CONTAINER: DurableObjectNamespace<import("./worker.ts").DoubledContainer>;
    SANDBOX: DurableObjectNamespace<import("./worker.ts").NotingSandbox>;
  }
}
