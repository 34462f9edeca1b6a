// The driver: the interface to the platform that runs sandboxes. One contract suite tests every
// driver.
import { getErrorMessage } from "../../lib/error-text.ts";
import type { NetworkInForce, SeenHost } from "../../network/rules/network.ts";
import { missingHeader, unreachableHeader } from "../../sandbox-protocol/headers.ts";

export interface SandboxDriver {
  /**
   * Starts the program with its secret, and resolves when the program responds. Throws if it
   * already runs, does not start, or cannot be held to the network. The disk is empty, except after
   * `pause`, or after a sandbox host was killed: then the earlier checkout may still be there.
   */
  start(secret: string, network: NetworkInForce): Promise<void>;
  /** Stops the program, even while it is starting, and deletes its disk. Idempotent. */
  stop(): Promise<void>;
  /**
   * Stops the program after its work was saved. The platform may keep its disk, except temporary
   * files, for the next start. Idempotent.
   */
  pause(): Promise<void>;
  /** Stops the program, and also deletes a disk that was kept. Idempotent. */
  discard(): Promise<void>;
  /** Throws if the platform cannot be reached. */
  isRunning(): Promise<boolean>;
  /** The network that the running sandbox is held to; null if none runs. */
  findNetwork(): Promise<HeldNetwork | null>;
  /**
   * Sends a request or a WebSocket handshake to the program, which forwards requests for a service.
   * Throws SandboxUnreachable if nothing accepts it. Returns 502 with `brokenHeader` if the
   * connection breaks before a response. Never starts a sandbox.
   */
  fetch(request: Request): Promise<Response>;
}

/** The network of a running sandbox. */
export interface HeldNetwork {
  network: NetworkInForce;
  /** The hosts that it asked for. */
  seen: SeenHost[];
}

/** No process accepted the request: the sandbox does not run, or nothing listens on the port. */
export class SandboxUnreachable extends Error {
  readonly isMissing: boolean;

  constructor(isMissing: boolean) {
    super(isMissing ? "the sandbox does not run" : "nothing listens on that port of the sandbox");
    this.isMissing = isMissing;
  }
}

/** The connection broke before a response. The request may have been performed. */
export class SandboxBroke extends Error {
  constructor() {
    super("the connection to the sandbox broke");
  }
}

/** Work could not be saved because of its sandbox, not because of storage or the database. */
export class SandboxFailedSave extends Error {
  constructor(reason: unknown) {
    super(`the sandbox failed a save: ${getErrorMessage(reason)}`);
  }
}

/** A call of the program for a save. Throws SandboxFailedSave or SandboxUnreachable if it fails. */
export async function asCallOfSave<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof SandboxUnreachable ? error : new SandboxFailedSave(error);
  }
}

/** True for a call that timed out. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** Returns the response to a forwarded request. Throws SandboxUnreachable if its headers say so. */
export async function throwIfUnreachable(answer: Response): Promise<Response> {
  const isMissing = answer.headers.has(missingHeader);
  if (!isMissing && !answer.headers.has(unreachableHeader)) return answer;
  await answer.body?.cancel();
  throw new SandboxUnreachable(isMissing);
}
