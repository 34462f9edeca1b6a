// The pi agent with its library. It has one worker for the turns that change the checkout, and one
// for each concurrent turn that only reads.
import type { Folders } from "../../folders.ts";
import type { Agent } from "../agent.ts";
import { compactSession } from "./compaction.ts";
import { setToolFamily } from "./tool-spawn.ts";
import { createPiWorker, type PiWorker } from "./worker.ts";

export type PiDriver = Pick<Agent, "warmUp" | "open" | "compact">;

/**
 * Creates the driver. `conversations` is the folder of its conversations. `networkRule` is added to
 * the instructions of each turn.
 */
export function createPiDriver(folders: Folders, conversations: string, networkRule: string): PiDriver {
  const writer = createPiWorker(folders, conversations, networkRule);
  const readers: PiWorker[] = [];

  // Of pi's own tools, only those of the writer start programs.
  setToolFamily(() => writer.currentTurn().family);

  /**
   * Returns a reader without a turn. Readers are reused, because a new one must load pi's runtime.
   */
  function freeReader(): PiWorker {
    const free = readers.find((reader) => reader.isFree());
    if (free) return free;
    const reader = createPiWorker(folders, null, networkRule);
    readers.push(reader);
    return reader;
  }

  return {
    warmUp: () => writer.warmUp(),
    open: (wanted) => (wanted.writes ? writer : freeReader()).open(wanted),
    compact: ({ focus, signal, ...wanted }) =>
      writer.withSession(wanted, (session) => compactSession(session, focus, signal)),
  };
}
