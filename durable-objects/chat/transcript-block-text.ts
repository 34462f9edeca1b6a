// Blocks as plain text, for an agent that starts in the middle of a conversation.
import type { Block } from "../../src/chat/rules/block.ts";

/** One block as text. */
export function blockAsText(block: Block): string {
  switch (block.type) {
    case "text":
      return block.content;
    case "plan":
      return `(plan: ${block.items.map(({ title, status }) => `${title} [${status}]`).join("; ")})`;
    case "tool":
      return `(ran ${block.name}: ${block.title})`;
    case "filed_sessions":
      return `(filed: ${block.sessions.map(({ title }) => title).join("; ")})`;
    case "artifact":
      return `(wrote the ${block.kind} artifact ${block.slug}, version ${block.version}: ${block.title})`;
    case "clarification":
      return `(asked: ${block.clarificationData.questions.map(({ question }) => question).join(" ")})`;
  }
}
