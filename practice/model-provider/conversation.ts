// A conversation in the form of the practice model, the same for all wires.
import type { JsonObject } from "./json.ts";

export type Entry =
  | { from: "user"; text: string }
  | { from: "tool"; text: string }
  /** One response of the model. */
  | { from: "model"; callsTool: boolean };

export interface OfferedTool {
  name: string;
  /** JSON schema. */
  input: JsonObject;
}

export interface Conversation {
  instructions: string;
  entries: Entry[];
  tools: OfferedTool[];
}

/** The newest text of the given speaker; empty if there is none. */
export function getNewestText(conversation: Conversation, from: "user" | "tool"): string {
  const entry = conversation.entries.findLast((candidate) => candidate.from === from);
  return entry === undefined || entry.from === "model" ? "" : entry.text;
}
