// Idle memory: a program that becomes idle gives back what its last turn needed. Node collects
// garbage only while a program allocates, so an idle one would keep it until its next turn.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Turns } from "./turn/turns.ts";

/** The collection stops the program for nearly 0.1 s, so it waits until nobody works. */
export const idleLookMs = 30_000;
/** An idle program uses less processor time than this between two looks. */
const idleCpuMs = 100;

/** The program's processor time in ms, and its garbage collection. */
interface Memory {
  readCpuMs(): number;
  collect(): void;
}

/**
 * Returns a look at the program, for every `idleLookMs`. It collects the garbage once each time
 * when the program has become idle.
 */
export function createIdleLook(turns: Pick<Turns, "hasUndelivered">, memory: Memory = createMemory()): () => void {
  let lastCpuMs = memory.readCpuMs();
  let isCollected = false;
  return () => {
    const isIdle = memory.readCpuMs() - lastCpuMs < idleCpuMs && !turns.hasUndelivered();
    if (isIdle && !isCollected) memory.collect();
    isCollected = isIdle;
    lastCpuMs = memory.readCpuMs();
  };
}

function createMemory(): Memory {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  return {
    readCpuMs() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
    // Only a collection for want of memory also shrinks the heap.
    collect() {
      if (typeof collect === "function") collect({ type: "major", execution: "sync", flavor: "last-resort" });
    },
  };
}
