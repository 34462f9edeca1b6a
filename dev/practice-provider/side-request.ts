// Requests that an agent makes beside its turn: a summary of the conversation, a title for it. They offer no tool, and no script is followed.
import { type Conversation, newestText } from "./conversation.ts";
import { practiceBlockOf } from "./practice-block.ts";

const titleLength = 50;

/** The answer to a request for a summary or a title; null when the request belongs to a turn. */
export function sideAnswer(conversation: Conversation): string | null {
  if (conversation.tools.length > 0) return null;
  const text = newestText(conversation, "user");
  if (/summar/i.test(conversation.instructions)) return summary(text);
  if (/\btitle/i.test(conversation.instructions)) return title(text);
  return null;
}

function summary(text: string): string {
  const said = "The practice model wrote this summary: the conversation so far was practice.";
  const rest = scriptUnderWay(text);
  return rest === null ? said : `${said}\n\n${rest}`;
}

/** The script of a turn that is summarized before its end, so that it goes on afterwards where it was. */
function scriptUnderWay(text: string): string | null {
  // The agent summarizes the beginning of a running turn under this heading, finished turns under another.
  if (!text.startsWith("# Conversation\n")) return null;
  const block = practiceBlockOf(text);
  if (block === null) return null;
  const count = block.after.split("\n").filter((line) => line.startsWith("[Assistant tool calls]: ")).length;
  return ["```practice", ...block.lines, JSON.stringify({ given: count }), "```"].join("\n");
}

function title(text: string): string {
  const line = text.split(/\r?\n/).find((candidate) => /\w/.test(candidate) && !candidate.includes("```"));
  return `Practice: ${(line ?? "a session").trim().slice(0, titleLength)}`;
}
