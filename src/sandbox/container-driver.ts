// The driver for Cloudflare Containers: the sandbox of a key is the container of the container object of that key.
import { reached, type SandboxDriver } from "./driver.ts";

/** What the driver asks of a container object. */
export interface ContainerCalls {
  startProgram(secret: string): Promise<void>;
  endProgram(): Promise<void>;
  isRunning(): Promise<boolean>;
  /** Carries a request to the port that `portHeader` names. */
  fetch(request: Request): Promise<Response>;
}

/** Names the port of a request to a container object. */
export const portHeader = "x-sandbox-port";

const startWaitMs = 75_000;
const stopWaitMs = 20_000;
const lookWaitMs = 5_000;

/** Drives the container that `find` finds; it is asked for every call, for an address is of no use any more once a call to it broke. */
export function containerDriver(find: () => ContainerCalls): SandboxDriver {
  return {
    start: (secret) => inTime(find().startProgram(secret), startWaitMs, "a start"),
    stop: () => inTime(find().endProgram(), stopWaitMs, "a stop"),
    isRunning: () => inTime(find().isRunning(), lookWaitMs, "a look"),
    async fetch(port, request) {
      const headers = new Headers(request.headers);
      headers.set(portHeader, String(port));
      return await reached(await find().fetch(new Request(request, { headers })));
    },
  };
}

async function inTime<Value>(call: Promise<Value>, waitMs: number, what: string): Promise<Value> {
  const patience = new AbortController();
  const over = scheduler.wait(waitMs, { signal: patience.signal }).then((): never => {
    throw new Error(`the container object did not answer ${what} within ${waitMs} ms`);
  });
  try {
    return await Promise.race([call, over]);
  } finally {
    patience.abort();
  }
}
