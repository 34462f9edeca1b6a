// The pi agent, which runs in this process. Its library takes more time and memory than the rest of
// the program, so it is loaded when it is first needed.
import { statSync } from "node:fs";
import { join } from "node:path";
import { PI_AI_VERSION } from "@earendil-works/pi-ai/utils/version";
import type { Folders } from "../../folders.ts";
import type { Agent } from "../agent.ts";
import type { PiDriver } from "./driver.ts";

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
    hasConversation(conversationId) {
      const file = join(conversations, `${conversationId}.jsonl`);
      return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
    },
    open: async (wanted) => await (await load()).open(wanted),
    compact: async (wanted) => await (await load()).compact(wanted),
  };
}
