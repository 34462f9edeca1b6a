// Reads the counts of a world with counting bindings.
import type { World } from "../../practice/local-service.ts";
import type { Counts } from "./counts.ts";
import { createHttpClient } from "./http-client.ts";

export interface CountReader {
  /** All counts, or only those of the objects of crons and runs. */
  total(of?: "all" | "crons"): Promise<Counts>;
  /**
   * All counts, once no object has running work, so that no other work is counted with what is
   * measured.
   */
  quietTotal(): Promise<Counts>;
  close(): void;
}

const pollPauseMs = 5;
/** Between a piece of work and the work that it triggers, no object may be busy. */
const quietReads = 10;

export function createCountReader(world: World): CountReader {
  const client = createHttpClient(world.baseUrl);
  const read = async (path: string) => JSON.parse((await client.get(path)).text);
  const total = (of = "all"): Promise<Counts> => read(`/counts?of=${of}`);
  return {
    total,
    async quietTotal() {
      for (let quiet = 0; quiet < quietReads; ) {
        await new Promise((resolve) => setTimeout(resolve, pollPauseMs));
        quiet = (await read("/counts/busy-objects")) === 0 ? quiet + 1 : 0;
      }
      return total();
    },
    close: () => client.close(),
  };
}
