// A pasted API key: whether it is kept, by the provider's response to one call, and its shown form.

import { type Refusal, refuse } from "../../rules/refusal.ts";
import { toFirstCodePoints } from "../../rules/text.ts";

export interface TrialAnswer {
  /** The HTTP status; null if the provider did not respond. */
  status: number | null;
  /** The provider's own message, empty if there is none. */
  reason: string;
  /** When the key's limit resets; null if it is not at its limit. */
  exhaustedUntil: number | null;
}

const reasonCharactersMax = 300;

/** Refuses a key that the provider refuses. A key at its limit is valid. */
export function checkKey(
  providerName: string,
  apiKey: string,
  { status, reason, exhaustedUntil }: TrialAnswer,
): Refusal | null {
  if (exhaustedUntil !== null || (status !== null && (status < 300 || status === 429))) return null;
  if (status === null || status < 400 || status === 408 || status >= 500) {
    return refuse(
      "SERVICE_UNAVAILABLE",
      `${providerName} did not answer, so the key was not saved. Try again shortly.`,
    );
  }
  // The message is shown and may be logged.
  const shownReason = toFirstCodePoints(reason.replaceAll(apiKey, "the key"), reasonCharactersMax).trim();
  return refuse("BAD_REQUEST", `${providerName} refuses this key${shownReason === "" ? "." : `: ${shownReason}`}`);
}

const maskedCharacters = 4;
const startCharacters = 4;

/** The start and the end of a key, by which people recognize it. Shows less of a short key. */
export function formatMaskedKey(apiKey: string): string {
  const start = apiKey.length >= 8 * startCharacters ? startCharacters : Math.floor(apiKey.length / 8);
  const end = apiKey.length >= 4 * maskedCharacters ? maskedCharacters : 0;
  return `${apiKey.slice(0, start)}…${apiKey.slice(apiKey.length - end)}`;
}
