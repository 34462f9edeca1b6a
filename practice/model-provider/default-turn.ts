// The practice model's turn without a script: one tool call that looks at the repository, and one
// text.
import { type Conversation, getNewestText } from "./conversation.ts";
import type { Script } from "./script.ts";
import { canLook } from "./tool-call.ts";

const shownNames = 8;

/**
 * Returns the two responses of a turn without a script; only one if no tool can look at the
 * repository.
 */
export function createDefaultScript(conversation: Conversation): Script {
  const looks = canLook(conversation.tools);
  const answer: Script["responses"][number] = {
    before: [{ kind: "say", text: defaultReply(looks ? getNewestText(conversation, "tool") : "") }],
    last: null,
  };
  return { responses: looks ? [{ before: [], last: { kind: "look" } }, answer] : [answer], given: 0 };
}

function defaultReply(seen: string): string {
  const names = seen
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && line !== "(no output)");
  const more = names.length > shownNames ? ", …" : "";
  const found =
    names.length === 0 ? "" : ` I looked around and found: ${names.slice(0, shownNames).join(", ")}${more}.`;
  return `This is the practice model: it stands in for a real one and does no real work.${found} Send a message with a fenced block named practice to have it follow a script.`;
}
