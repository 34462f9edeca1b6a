// A tool's output that is longer than its block may show: the block shows its ends, and the whole goes to storage, where the block's
// place finds it.
import { constants, createReadStream, openSync } from "node:fs";
import { Readable } from "node:stream";
import { fetchFromService } from "../http/service-fetch.ts";
import type { TextEnds } from "./capped-text.ts";

/** Redacted throughout. */
export interface LongOutput {
  ends: TextEnds;
  whole: OutputSource;
}

/** The whole output: in memory or in a file. */
export type OutputSource = Buffer | { path: string; bytes: number };

export interface OutputStorage {
  /** Puts the output of the tool at a block's place into storage; true when it is there. */
  keep(index: number, output: OutputSource): Promise<boolean>;
  /** Settles when nothing is under way any more. */
  idle(): Promise<void>;
  /** Gives up what is under way. */
  abort(): void;
}

const attempts = 2;
const attemptTimeoutMs = 60_000;

/** The length of the whole output. */
export const sizeOf = (source: OutputSource): number => (Buffer.isBuffer(source) ? source.length : source.bytes);

/** Storage behind this address, open to whoever brings the token. */
export function createOutputStorage(url: string, token: string): OutputStorage {
  const underWay = new Set<Promise<boolean>>();
  const aborting = new AbortController();

  async function put(index: number, source: OutputSource): Promise<boolean> {
    for (let attempt = 0; attempt < attempts && !aborting.signal.aborted; attempt++) {
      try {
        const answer = await fetchFromService(`${url}/${index}`, {
          method: "PUT",
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "text/plain; charset=utf-8",
            // Of what is in memory the length is known by itself.
            ...(Buffer.isBuffer(source) ? {} : { "content-length": String(source.bytes) }),
          },
          body: bodyOf(source),
          duplex: "half",
          signal: AbortSignal.any([aborting.signal, AbortSignal.timeout(attemptTimeoutMs)]),
        });
        await answer.body?.cancel();
        if (answer.ok) return true;
        if (answer.status < 500) return false;
      } catch {
        // Tried again, or the output is told to be gone.
      }
    }
    return false;
  }

  return {
    keep(index, output) {
      const kept = put(index, output);
      underWay.add(kept);
      void kept.then(() => underWay.delete(kept));
      return kept;
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    abort: () => aborting.abort(),
  };
}

/** The output as the body of a request: of a file that still grows, as much as it had. */
export const bodyOf = (source: OutputSource): NonNullable<RequestInit["body"]> =>
  Buffer.isBuffer(source)
    ? new Uint8Array(source)
    : // A link in the place of the file, which the agent can put there, is not followed.
      Readable.toWeb(
        createReadStream("", {
          fd: openSync(source.path, constants.O_RDONLY | constants.O_NOFOLLOW),
          end: source.bytes - 1,
        }),
      );
