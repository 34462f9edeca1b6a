// How the agent words its replies: as the person whom it writes to has chosen in their profile.
import type { ReplyStyle } from "../../account/rules/profile.ts";

const words: Record<ReplyStyle, string | null> = {
  standard: null,
  simplified: `The person you write to wants it simple. Word your replies, plans and questions so:
- Short sentences in everyday words. Explain a technical term where you first use one, or leave it out.
- What changed and what it means first; how it is built only where they ask.`,
  not_tech: `The person you write to does not program. Word your replies, plans and questions so:
- Plain language, as to somebody who uses the product and never sees its code: no code, commands, file names or technical terms.
- Say what people can do now that they could not before, what looks different, and how to see it.
- Ask about what the product should do, never about how it is built; decide that yourself.`,
};

/** What the instructions of an agent say about its replies; null for nothing. */
export function replyInstructions(style: ReplyStyle): string | null {
  return words[style];
}
