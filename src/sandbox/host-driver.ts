// The driver for one machine: sandboxes are processes of the sandbox host, which behaves as containers do.
import { reached, type SandboxDriver } from "./driver.ts";

const startWaitMs = 30_000;
const stopWaitMs = 10_000;
const lookWaitMs = 5_000;

/** Drives the sandbox of one key through the sandbox host at `hostUrl`. */
export function hostDriver(hostUrl: string, sandboxKey: string): SandboxDriver {
  const address = `${hostUrl}/sandboxes/${sandboxKey}`;

  async function call(method: string, waitMs: number, body?: unknown): Promise<Response> {
    const init: RequestInit = { method, signal: AbortSignal.timeout(waitMs) };
    if (body !== undefined) init.body = JSON.stringify(body);
    return await fetch(address, init);
  }

  return {
    async start(secret) {
      const answer = await call("PUT", startWaitMs, { secret });
      if (!answer.ok) throw new Error(`the sandbox host answered ${answer.status}: ${await answer.text()}`);
      await answer.body?.cancel();
    },
    async stop() {
      const answer = await call("DELETE", stopWaitMs);
      if (!answer.ok && answer.status !== 404) throw new Error(`the sandbox host answered ${answer.status} to a stop`);
      await answer.body?.cancel();
    },
    async isRunning() {
      const answer = await call("GET", lookWaitMs);
      // No word of the host is no word that the sandbox is gone: whoever asks would discard its work.
      if (!answer.ok) throw new Error(`the sandbox host answered ${answer.status} to a look`);
      return (await answer.json<{ running: boolean }>()).running;
    },
    async fetch(port, request) {
      const { pathname, search } = new URL(request.url);
      return await reached(await fetch(new Request(`${address}/ports/${port}${pathname}${search}`, request)));
    },
  };
}
