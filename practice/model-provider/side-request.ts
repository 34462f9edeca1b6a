// Requests outside of turns: for a summary of the conversation, a title or a commit message. They
// offer no tools, and no script applies.
import { type Conversation, getNewestText } from "./conversation.ts";
import { findPracticeBlock } from "./practice-block.ts";
import { parseSteps } from "./step.ts";

const titleLength = 50;

/**
 * Responds to a request for a summary, a title or a commit message; null for a request of a turn.
 */
export function findSideAnswer(conversation: Conversation): string | null {
  if (conversation.tools.length > 0) return null;
  const text = getNewestText(conversation, "user");
  if (/commit message/i.test(conversation.instructions)) return commitMessageFor(text);
  if (/summar/i.test(conversation.instructions)) return summary(text);
  if (/\btitle/i.test(conversation.instructions)) return title(text);
  return null;
}

function summary(text: string): string {
  const said = "The practice model wrote this summary: the conversation so far was practice.";
  const rest = scriptUnderWay(text);
  return rest === null ? said : `${said}\n\n${rest}`;
}

// The conversation that an agent sends to be summarized, as text. An earlier summary may follow it.
const shownConversation =
  /^(?:# Conversation\n([\s\S]*)\n\n# Instructions\n|<conversation>\n([\s\S]*)\n<\/conversation>)/;
const earlierSummary = /\n<previous-summary>\n([\s\S]*)\n<\/previous-summary>/;

/** The script of a turn that is summarized before its end and continues afterwards. */
function scriptUnderWay(text: string): string | null {
  const [, prefix, whole] = shownConversation.exec(text) ?? [];
  const block = findPracticeBlock(`${earlierSummary.exec(text)?.[1] ?? ""}\n${prefix ?? whole ?? ""}`);
  if (block === null || hasEnded(block.after)) return null;
  const count = block.after.split("\n").filter((line) => line.startsWith("[Assistant tool calls]: ")).length;
  return ["```practice", ...block.lines, JSON.stringify({ given: givenBefore(block.lines) + count }), "```"].join("\n");
}

/** True if the turn has ended: by a text without a tool call, or by a stop during a tool call. */
function hasEnded(conversation: string): boolean {
  const speakers = conversation.match(/^\[(User|Assistant|Assistant tool calls|Tool result)\]: /gm) ?? [];
  const hasLastWord = speakers.some(
    (speaker, at) => speaker === "[Assistant]: " && speakers[at + 1] !== "[Assistant tool calls]: ",
  );
  return hasLastWord || /(No result provided|(Command|Operation) aborted)\s*$/.test(conversation);
}

/** The number of given responses in the newest note of an earlier summary. */
function givenBefore(lines: string[]): number {
  const given = parseSteps(lines).findLast((step) => step.kind === "given");
  return given?.kind === "given" ? given.count : 0;
}

/** A title from the first words of a message, whose lines may be quoted. Not from its script. */
function title(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/^> ?/, ""));
  const script = findPracticeBlock(lines.join("\n"))?.lines ?? [];
  const line = lines.find((one) => /\w/.test(one) && !one.includes("```") && !script.includes(one));
  return `Practice: ${(line ?? "a session").trim().slice(0, titleLength)}`;
}

const listedMax = 20;
const firstLineLength = 72;

/** Drafts the commit message for a git patch: a list of what it does to each file. */
function commitMessageFor(patch: string): string {
  const files = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
  const changes = files.map(countWords);
  const [only = "Change what is here", ...others] = changes;
  if (others.length === 0) return only.slice(0, firstLineLength);
  const listed = changes.slice(0, listedMax).map((change) => `- ${change}`);
  const rest = changes.length > listedMax ? [`- and ${changes.length - listedMax} more`] : [];
  return [`Change ${changes.length} files`, "", ...listed, ...rest].join("\n");
}

function countWords(file: string): string {
  const header = file.split("\n", 1)[0] ?? "";
  const path = /"?b\/([^\n]*?)"?$/.exec(
    header.slice(header.lastIndexOf(" b/") + 1 || header.lastIndexOf(' "b/') + 1),
  )?.[1];
  if (/^new file mode/m.test(file)) return `Add ${path}`;
  if (/^deleted file mode/m.test(file)) return `Delete ${path}`;
  if (/^rename to /m.test(file)) return `Move a file to ${path}`;
  return `Change ${path}`;
}
