// The memory of the Worker's isolate, as the inspector reports it.
import { once } from "node:events";

const sampleEveryMs = 20;

/**
 * Tracks the memory of the Worker's isolate, including garbage: its heap, and the buffers outside
 * it.
 */
export async function startIsolateWatch(inspectorPort: number) {
  const targets = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json()) as Record<string, string>[];
  const address = targets.find(({ id }) => id === "core:user:switchyard")?.webSocketDebuggerUrl;
  if (address === undefined) throw new Error("the Worker's isolate is not among the inspector's targets");
  const socket = new WebSocket(address);
  await once(socket, "open");
  const waiting = new Map<number, (result: Record<string, number>) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let asked = 0;
  const ask = (method: string) => {
    const { promise, resolve } = Promise.withResolvers<Record<string, number>>();
    asked += 1;
    waiting.set(asked, resolve);
    socket.send(JSON.stringify({ id: asked, method }));
    return promise;
  };
  await ask("HeapProfiler.collectGarbage");
  let most = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { usedSize = 0, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await ask("Runtime.getHeapUsage");
      most = Math.max(most, usedSize + embedderHeapUsedSize + backingStorageSize);
      await new Promise((resolve) => setTimeout(resolve, sampleEveryMs));
    }
  })();
  return {
    /** Returns the peak, in KB. */
    async stop(): Promise<number> {
      isOver = true;
      await watching;
      socket.close();
      return most / 1_024;
    },
  };
}
