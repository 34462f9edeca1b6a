// Budgets for bodies in memory. An isolate has 128 MB in total, so bodies that are read whole are
// counted, and their buffers grow with the received bytes. A body that does not fit is refused
// temporarily.
import { bodyMemoryBytes } from "../rules/limits.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";

export interface BodyMemory {
  /** Reserves bytes. False if they are not available. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** Creates a budget of this many bytes. */
export function createBodyMemory(mostBytes: number): BodyMemory {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > mostBytes) return false;
      taken += bytes;
      return true;
    },
    give(bytes) {
      taken -= bytes;
    },
  };
}

/** The budget for all bodies in memory. */
export const bodyMemory = createBodyMemory(bodyMemoryBytes);

/** The refusal of a body that does not fit. */
export const memoryIsFull: Refusal = {
  ...refuse("SERVICE_UNAVAILABLE", "The service is receiving too much data at the moment. Send it again shortly."),
  retryAfterSeconds: 5,
};

export interface GrowingBytes {
  /** Adds bytes. False if the budget has no room; the bytes added earlier remain. */
  add(chunk: Uint8Array): boolean;
  bytes(): Uint8Array<ArrayBuffer>;
  /** Clears the bytes, but not the buffer. */
  clear(): void;
  /** Releases the memory. */
  drop(): void;
}

/** Collects bytes in a buffer that doubles as needed. The caller must respect the limit. */
export function createGrowingBytes(mostBytes: number, memory: BodyMemory): GrowingBytes {
  let held = new Uint8Array(0);
  let length = 0;
  return {
    add(chunk) {
      const needed = length + chunk.length;
      if (needed > held.length) {
        const grown = Math.max(needed, Math.min(2 * held.length, mostBytes));
        if (!memory.take(grown - held.length)) return false;
        // `transfer` frees the smaller buffer immediately. As garbage, it would count as memory of
        // the isolate until it is collected.
        held = new Uint8Array(held.buffer.transfer(grown));
      }
      held.set(chunk, length);
      length = needed;
      return true;
    },
    bytes: () => held.subarray(0, length),
    clear() {
      length = 0;
    },
    drop() {
      memory.give(held.length);
      held = new Uint8Array(0);
      length = 0;
    },
  };
}

const heldFor = new WeakMap<Request, GrowingBytes[]>();

/** Collects the bytes of a request's body. Their memory stays reserved until `releaseBytes`. */
export function receiveBytes(request: Request, mostBytes: number, memory: BodyMemory): GrowingBytes {
  const held = createGrowingBytes(mostBytes, memory);
  const others = heldFor.get(request);
  if (others) others.push(held);
  else heldFor.set(request, [held]);
  return held;
}

/** Releases the memory of a request's body. The router calls it after each response. */
export function releaseBytes(request: Request): void {
  for (const held of heldFor.get(request) ?? []) held.drop();
  heldFor.delete(request);
}
