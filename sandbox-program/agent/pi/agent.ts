// The pi agent, which runs in this process. Its library takes more time and memory than the rest of
// the program, so it is loaded when it is first needed.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PI_AI_VERSION } from "@earendil-works/pi-ai/utils/version";
import type { Folders } from "../../folders.ts";
import type { Agent } from "../agent.ts";
import type { PiDriver } from "./driver.ts";

/** A longer file has messages: what pi writes before them is its settings and the instructions. */
const setupBytesMax = 1_024 * 1_024;

/**
 * True if a conversation has a message of a user. An earlier program created the file when it
 * opened the conversation, and a turn that was stopped then left a file with only a header.
 */
function hasMessage(file: string): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 || size > setupBytesMax) return size > 0;
  // A text within the file has its quotes escaped.
  return readFileSync(file, "utf8").includes('"message":{"role":"user"');
}

/** Creates the pi agent for a sandbox. `networkRule` is added to the instructions of each turn. */
export function createPiAgent(folders: Folders, networkRule: string): Agent {
  const conversations = join(folders.state, "conversations");
  let loading: Promise<PiDriver> | null = null;

  function load(): Promise<PiDriver> {
    loading ??= import("./driver.ts").then(({ createPiDriver }) => createPiDriver(folders, conversations, networkRule));
    return loading;
  }

  return {
    version: `pi ${PI_AI_VERSION}`,
    warmUp: async () => await (await load()).warmUp(),
    hasConversation: (conversationId) => hasMessage(join(conversations, `${conversationId}.jsonl`)),
    open: async (wanted) => await (await load()).open(wanted),
    compact: async (wanted) => await (await load()).compact(wanted),
  };
}
