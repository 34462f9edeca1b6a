// The text result of a reading tool: redacted, and cut to what a model reads.
import { readingAnswerBytes } from "../../../../src/rules/limits.ts";
import type { Redaction } from "../../../../src/rules/redaction.ts";
import type { AgentToolAnswer } from "../../agent.ts";

/** Read beyond the limit, so that a secret at the cut is complete when it is redacted. */
export const bytesBeyondCut = 16 * 1_024;

/**
 * The result with this text. Secrets are redacted before it is cut, so that no part of one remains.
 */
export function toToolAnswer(text: string, redaction: Redaction): AgentToolAnswer {
  return { text: cut(redaction.whole(text)), endsTurn: false, event: null };
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= readingAnswerBytes) return text;
  // A truncated character would decode as a different one.
  const shown = new TextDecoder().decode(bytes.subarray(0, readingAnswerBytes), { stream: true });
  return `${shown}\n\n[The first ${readingAnswerBytes / 1_024} KiB. Ask for less to read the rest.]`;
}
