// The driver of the pi agent, which runs in this process. It has one worker for the turns that
// change the checkout, and one for each concurrent turn that only reads.
import { statSync } from "node:fs";
import { join } from "node:path";
import { PI_AI_VERSION } from "@earendil-works/pi-ai";
import type { Folders } from "../../folders.ts";
import type { Agent } from "../agent.ts";
import { compactSession } from "./compaction.ts";
import { setToolFamily } from "./tool-spawn.ts";
import { createPiWorker, type PiWorker } from "./worker.ts";

/** Creates the pi agent for a sandbox. `networkRule` is added to the instructions of each turn. */
export function createPiAgent(folders: Folders, networkRule: string): Agent {
  const conversations = join(folders.state, "conversations");
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
    version: `pi ${PI_AI_VERSION}`,
    warmUp: () => writer.warmUp(),
    hasConversation(conversationId) {
      const file = join(conversations, `${conversationId}.jsonl`);
      return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
    },
    open: (wanted) => (wanted.writes ? writer : freeReader()).open(wanted),
    compact: ({ focus, signal, ...wanted }) =>
      writer.withSession(wanted, (session) => compactSession(session, focus, signal)),
  };
}
