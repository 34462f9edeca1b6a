// Addresses of the objects: whoever needs one asks here. Types alone are imported, so that nothing depends on an object's inside.
import type { SandboxObject } from "./sandbox.ts";
import type { SessionObject } from "./session.ts";

/** The object of a session, by the session's id. */
export function sessionObject(env: { SESSION: DurableObjectNamespace<SessionObject> }, sessionId: string) {
  return env.SESSION.getByName(sessionId);
}

/** The object of a sandbox, by its key. */
export function sandboxObject(env: { SANDBOX: DurableObjectNamespace<SandboxObject> }, sandboxKey: string) {
  return env.SANDBOX.getByName(sandboxKey);
}
