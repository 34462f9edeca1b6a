// The driver seam: the interface to the platform that runs sandboxes. One contract holds for every driver.

export interface SandboxDriver {
  /**
   * Starts the program with its secret, and settles when it answers. Throws when it runs already, or does not come up. Its disk is empty:
   * only a host of one machine that was killed itself finds the checkout again that it left.
   */
  start(secret: string): Promise<void>;
  /** Ends it, a start under way included; its disk is gone. Safe when nothing runs. */
  stop(): Promise<void>;
  /** Throws if the platform cannot be asked. */
  isRunning(): Promise<boolean>;
  /**
   * Carries a request, or a WebSocket's opening, to a port of the sandbox. Throws SandboxUnreachable when nothing takes it; answers 502
   * with `brokenHeader` when the connection breaks before there is an answer. Never starts anything.
   */
  fetch(port: number | typeof programPort, request: Request): Promise<Response>;
}

/** The port of the sandbox program itself. */
export const programPort = "program";

/** No process accepted the request: the sandbox is gone, or nothing listens on that port. */
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

/** Set by the platform if nothing accepted a request. Removed from the responses of services. */
export const missingHeader = "x-sandbox-missing";
export const unreachableHeader = "x-sandbox-unreachable";
/** Set by the platform if the connection broke before a response. */
export const brokenHeader = "x-sandbox-broken";

/** Returns the response to a forwarded request. Throws SandboxUnreachable if its headers say so. */
export async function reached(answer: Response): Promise<Response> {
  const isMissing = answer.headers.has(missingHeader);
  if (!isMissing && !answer.headers.has(unreachableHeader)) return answer;
  await answer.body?.cancel();
  throw new SandboxUnreachable(isMissing);
}
