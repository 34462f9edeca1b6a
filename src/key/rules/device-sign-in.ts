// A sign-in from a terminal: the terminal shows a code, a person types it in a browser that is
// signed in, and the terminal fetches a key (decisions, "Sign-in from a terminal").

/** `fetched`: the key was made and returned. */
export const deviceOutcomes = ["approved", "denied", "fetched"] as const;
export type DeviceOutcome = (typeof deviceOutcomes)[number];

/** Consonants without those that look or sound like others, so that no code is a word. */
const codeAlphabet = "BCDFGHJKLMNPQRSTVWXZ";
const codeLetters = 8;
const codeShape = new RegExp(`^[${codeAlphabet}]{${codeLetters}}$`);

/** Formats 20^8 possible codes from random bytes; null if there are too few usable bytes. */
export function formatUserCode(random: Uint8Array): string | null {
  // 240 is the largest multiple of 20 in a byte. Higher bytes would favour the first letters.
  const usable = [...random].filter((byte) => byte < 240).slice(0, codeLetters);
  if (usable.length < codeLetters) return null;
  return withHyphen(usable.map((byte) => codeAlphabet.charAt(byte % codeAlphabet.length)).join(""));
}

/** The code that a person typed, in any case and with any separators; null if it is none. */
export function parseUserCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s\p{Pd}]/gu, "");
  return codeShape.test(letters) ? withHyphen(letters) : null;
}

function withHyphen(letters: string): string {
  return `${letters.slice(0, codeLetters / 2)}-${letters.slice(codeLetters / 2)}`;
}

/** What a terminal is answered that asks for its key. */
export type DeviceAnswer =
  | { authenticated: false; intervalSeconds: number }
  | { authenticated: false; restart: true }
  | { authenticated: true };

/**
 * The answer to a terminal. `"issue"` means that the key is made now. A key that was fetched is not
 * returned again, even if its response was lost.
 */
export function findDeviceAnswer(
  { outcome, expiresAt }: { outcome: DeviceOutcome | null; expiresAt: number },
  { now, intervalSeconds }: { now: number; intervalSeconds: number },
): DeviceAnswer | "issue" {
  if (outcome === "fetched") return { authenticated: true };
  if (outcome === "denied" || expiresAt <= now) return { authenticated: false, restart: true };
  return outcome === "approved" ? "issue" : { authenticated: false, intervalSeconds };
}
