// Bytes that are held, and the memory that they take: an isolate has 128 MB for everything, so what is read whole is counted, and grows with the bytes that have
// come. What does not fit is refused for now.
import { bodyMemoryBytes, webhookMemoryBytes } from "../rules/limits.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";

export interface BodyMemory {
  /** Takes bytes; false when so many are not free. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** Opens a memory of so many bytes. */
export function openBodyMemory(mostBytes: number): BodyMemory {
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

/** What the isolate holds of all bodies but webhooks. */
export const bodyMemory = openBodyMemory(bodyMemoryBytes);
/** Whoever sends webhooks has shown no credential yet, and takes nothing from the others. */
export const webhookMemory = openBodyMemory(webhookMemoryBytes);

/** The refusal of what does not fit at this moment. */
export const memoryIsFull: Refusal = {
  ...refuse("SERVICE_UNAVAILABLE", "Too much is being sent at this moment. Send it again shortly."),
  retryAfterSeconds: 5,
};

export interface GrowingBytes {
  /** Adds bytes. False when their memory is not free; what was added before stays. */
  add(chunk: Uint8Array): boolean;
  bytes(): Uint8Array<ArrayBuffer>;
  /** Empties it, and keeps its memory. */
  clear(): void;
  /** Gives the memory back. */
  drop(): void;
}

/** Collects bytes, in memory that doubles as they come, up to a limit that the caller keeps to. */
export function openGrowingBytes(mostBytes: number, memory: BodyMemory): GrowingBytes {
  let held = new Uint8Array(0);
  let length = 0;
  return {
    add(chunk) {
      const needed = length + chunk.length;
      if (needed > held.length) {
        const grown = Math.max(needed, Math.min(2 * held.length, mostBytes));
        if (!memory.take(grown - held.length)) return false;
        const larger = new Uint8Array(grown);
        larger.set(held.subarray(0, length));
        held = larger;
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

/** Collects bytes of a request's body; their memory is taken until `releaseBytes`. */
export function holdBytes(request: Request, mostBytes: number, memory: BodyMemory): GrowingBytes {
  const held = openGrowingBytes(mostBytes, memory);
  const others = heldFor.get(request);
  if (others) others.push(held);
  else heldFor.set(request, [held]);
  return held;
}

/** Gives back what is held of a request's body; the router does so behind each answer. */
export function releaseBytes(request: Request): void {
  for (const held of heldFor.get(request) ?? []) held.drop();
  heldFor.delete(request);
}
