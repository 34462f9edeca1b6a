// The driver seam: the little that the service needs of whatever runs sandboxes. One contract holds for every driver.

export interface SandboxDriver {
  /** Starts the program with its secret on an empty disk. Throws when it runs already, or does not come up. */
  start(secret: string): Promise<void>;
  /** Ends it; its disk is gone. Safe when nothing runs. */
  stop(): Promise<void>;
  isRunning(): Promise<boolean>;
  /** Carries a request, or a WebSocket's opening, to a port of the sandbox. Throws SandboxUnreachable when nothing takes it. */
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
