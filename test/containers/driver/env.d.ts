// The bindings of the Worker in the driver's tests on a real engine.
declare namespace Cloudflare {
  interface Env {
    CONTAINER: DurableObjectNamespace<import("./worker.ts").RealContainer>;
    SANDBOX: DurableObjectNamespace<import("./worker.ts").QuietSandbox>;
  }
}
