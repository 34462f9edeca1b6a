// The driver for one machine. Sandboxes are processes of the sandbox host, which behave like
// containers.
import { readErrorText, readResponseJson } from "../../lib/response-body.ts";
import { openInForce } from "../../network/rules/network.ts";
import { serviceResponseBytes } from "../../rules/limits.ts";
import { type HeldNetwork, type SandboxDriver, throwIfUnreachable } from "./driver.ts";

const startWaitMs = 30_000;
const stopWaitMs = 10_000;
const statusWaitMs = 5_000;

/** What the sandbox host says of a sandbox. The rest is missing for one that does not run. */
interface HostStatus extends Partial<HeldNetwork> {
  running: boolean;
}

/** Drives one sandbox through the sandbox host at `hostUrl`. */
export function createHostDriver(hostUrl: string, sandboxKey: string): SandboxDriver {
  const address = `${hostUrl}/sandboxes/${sandboxKey}`;

  async function call(method: string, waitMs: number, body?: unknown, query = ""): Promise<Response> {
    const init: RequestInit = { method, signal: AbortSignal.timeout(waitMs) };
    if (body !== undefined) init.body = JSON.stringify(body);
    return await fetch(address + query, init);
  }

  async function stop(query?: "?keep" | "?discard"): Promise<void> {
    const answer = await call("DELETE", stopWaitMs, undefined, query);
    if (!answer.ok && answer.status !== 404) throw new Error(`the sandbox host answered ${answer.status} to a stop`);
    await answer.body?.cancel();
  }

  async function readStatus(): Promise<HostStatus> {
    const answer = await call("GET", statusWaitMs);
    // A failed status request does not mean that the sandbox has stopped. Otherwise the caller
    // would discard its work.
    if (!answer.ok) throw new Error(`the sandbox host answered ${answer.status} to a status request`);
    return await readResponseJson<HostStatus>(answer, serviceResponseBytes);
  }

  return {
    async start(secret, network) {
      const answer = await call("PUT", startWaitMs, { secret, network });
      if (!answer.ok) throw new Error(`the sandbox host answered ${answer.status}: ${await readErrorText(answer)}`);
      await answer.body?.cancel();
    },
    stop: () => stop(),
    pause: () => stop("?keep"),
    discard: () => stop("?discard"),
    isRunning: async () => (await readStatus()).running,
    async findNetwork() {
      const { running, network = openInForce, seen = [] } = await readStatus();
      return running ? { network, seen } : null;
    },
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      return await throwIfUnreachable(await fetch(new Request(`${address}/program${pathname}${search}`, request)));
    },
  };
}
