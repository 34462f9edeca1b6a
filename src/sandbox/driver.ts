// The driver seam: the little that the service needs of whatever runs sandboxes. One contract holds for every driver.

export interface SandboxDriver {
  /**
   * Starts the program with its secret, and settles when it answers. Throws when it runs already, or does not come up. Its disk is empty:
   * only a host of one machine that was killed itself finds the checkout again that it left.
   */
  start(secret: string): Promise<void>;
  /** Ends it, a start under way included; its disk is gone. Safe when nothing runs. */
  stop(): Promise<void>;
  /** Throws when nobody can say. */
  isRunning(): Promise<boolean>;
  /**
   * Carries a request, or a WebSocket's opening, to a port of the sandbox. Throws SandboxUnreachable when nothing takes it; answers 502
   * with `brokenHeader` when the connection breaks before there is an answer. Never starts anything.
   */
  fetch(port: number | typeof programPort, request: Request): Promise<Response>;
}

/** The port of the sandbox program itself. */
export const programPort = "program";

/** Nothing took the request: the sandbox is gone, or nothing listens on that port. */
export class SandboxUnreachable extends Error {
  readonly isMissing: boolean;

  constructor(isMissing: boolean) {
    super(isMissing ? "the sandbox does not run" : "nothing listens on that port of the sandbox");
    this.isMissing = isMissing;
  }
}

/** The connection broke before there was an answer: what was asked for was perhaps done. */
export class SandboxBroke extends Error {
  constructor() {
    super("the connection to the sandbox broke");
  }
}

/** How whatever runs sandboxes says that nothing took a request; on the answer of a service they mean nothing, and are taken off. */
export const missingHeader = "x-sandbox-missing";
export const unreachableHeader = "x-sandbox-unreachable";
/** How it says that the connection broke before there was an answer. */
export const brokenHeader = "x-sandbox-broken";

/** The answer to a carried request, or the SandboxUnreachable that it stands for. */
export async function reached(answer: Response): Promise<Response> {
  const isMissing = answer.headers.has(missingHeader);
  if (!isMissing && !answer.headers.has(unreachableHeader)) return answer;
  await answer.body?.cancel();
  throw new SandboxUnreachable(isMissing);
}
