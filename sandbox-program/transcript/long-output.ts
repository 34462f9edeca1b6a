// A tool output that is too long for its block. The block shows the ends. The whole output is
// uploaded to storage under the block's index.
import { constants, createReadStream, openSync } from "node:fs";
import { Readable } from "node:stream";
import { fetchFromService } from "../http/service-fetch.ts";
import type { TextEnds } from "./capped-text.ts";

/** A long output. Its ends and the whole are redacted. */
export interface LongOutput {
  ends: TextEnds;
  whole: OutputSource;
}

/** The whole output, in memory or in a file. */
export type OutputSource = Buffer | { path: string; bytes: number };

export interface OutputStorage {
  /** Uploads the output of the block with this index. True once it is stored. */
  keep(index: number, output: OutputSource): Promise<boolean>;
  /** Settles when all uploads have ended. */
  idle(): Promise<void>;
  /** Aborts all uploads. */
  abort(): void;
}

const attempts = 2;
const attemptTimeoutMs = 60_000;

/** The length of the whole output. */
export const getOutputSize = (source: OutputSource): number => (Buffer.isBuffer(source) ? source.length : source.bytes);

/** Creates the storage client for this URL and token. */
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
            // `fetch` sets the length of a Buffer itself.
            ...(Buffer.isBuffer(source) ? {} : { "content-length": String(source.bytes) }),
          },
          body: toRequestBody(source),
          duplex: "half",
          signal: AbortSignal.any([aborting.signal, AbortSignal.timeout(attemptTimeoutMs)]),
        });
        await answer.body?.cancel();
        if (answer.ok) return true;
        if (answer.status < 500) return false;
      } catch {
        // Retried. If all tries fail, the block reports the output as lost.
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

/** The output as a request body. Of a growing file, only the announced length is sent. */
export const toRequestBody = (source: OutputSource): NonNullable<RequestInit["body"]> =>
  Buffer.isBuffer(source)
    ? new Uint8Array(source)
    : // The agent can replace the file by a link, which is not followed.
      Readable.toWeb(
        createReadStream("", {
          fd: openSync(source.path, constants.O_RDONLY | constants.O_NOFOLLOW),
          end: source.bytes - 1,
        }),
      );
