// The driver for Cloudflare Containers. The container object of a key runs the container of that
// key.
import { callTwice } from "../../lib/retry.ts";
import { withTimeout } from "../../lib/timeout.ts";
import type { NetworkInForce } from "../../network/rules/network.ts";
import { type HeldNetwork, type SandboxDriver, throwIfUnreachable } from "./driver.ts";

/** The methods of a container object that the driver calls. */
export interface ContainerCalls {
  startProgram(secret: string, network: NetworkInForce): Promise<void>;
  endProgram(): Promise<void>;
  isRunning(): Promise<boolean>;
  findNetwork(): Promise<HeldNetwork | null>;
  /** Sends a request to the program. */
  fetch(request: Request): Promise<Response>;
}

const startWaitMs = 75_000;
const stopWaitMs = 20_000;
const statusWaitMs = 5_000;

/**
 * Drives the container that `find` returns. Each call gets a new stub, because a stub no longer
 * works once a call to it has broken. A start or a write is never retried here: the first attempt
 * may have been carried out.
 */
export function createContainerDriver(find: () => ContainerCalls): SandboxDriver {
  const stop = () =>
    throwIfLate(
      callTwice(() => find().endProgram()),
      stopWaitMs,
      "a stop",
    );
  const ask = <Value>(question: (container: ContainerCalls) => Promise<Value>) =>
    throwIfLate(
      callTwice(() => question(find())),
      statusWaitMs,
      "a status request",
    );
  return {
    async start(secret, network) {
      await throwIfLate(find().startProgram(secret, network), startWaitMs, "a start");
    },
    stop,
    // Stopping a container deletes its disk.
    pause: stop,
    discard: stop,
    isRunning: () => ask((container) => container.isRunning()),
    findNetwork: () => ask((container) => container.findNetwork()),
    async fetch(request) {
      const send = () => find().fetch(request);
      return await throwIfUnreachable(await (request.method === "GET" ? callTwice(send) : send()));
    },
  };
}

async function throwIfLate<Value>(call: Promise<Value>, waitMs: number, what: string): Promise<Value> {
  const answer = await withTimeout(call, waitMs);
  if (answer === "late") throw new Error(`the container object did not answer ${what} within ${waitMs} ms`);
  return answer;
}
