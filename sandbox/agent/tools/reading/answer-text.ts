// The text that a reading tool answers: redacted, and cut to what a model reads.
import { readingAnswerBytes } from "../../../../src/rules/limits.ts";
import type { Redaction } from "../../../../src/rules/redaction.ts";
import type { AgentToolAnswer } from "../../agent.ts";

/** Read beyond the limit, so that a secret at the cut is whole when it is redacted. */
export const bytesBeyondCut = 16 * 1_024;

/**
 * The answer with this text. Secrets are redacted before it is cut, so that no part of one is left.
 */
export function answerWith(text: string, redaction: Redaction): AgentToolAnswer {
  return { text: cut(redaction.whole(text)), endsTurn: false, event: null };
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= readingAnswerBytes) return text;
  // A character that is cut in half would read as another one.
  const shown = new TextDecoder().decode(bytes.subarray(0, readingAnswerBytes), { stream: true });
  return `${shown}\n\n[The first ${readingAnswerBytes / 1_024} KiB. Ask for less to read the rest.]`;
}
