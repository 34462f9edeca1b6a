// A text that a person types, kept until it is sent: another tab of a panel, or a reload, loses
// none.
import { useState } from "react";

/** Texts with secrets, which the browser stores nowhere: they live as long as the page. */
const secrets = new Map<string, string>();

/** The text that is kept under a key; an empty one if there is none. */
export function readKeptText(key: string): string {
  try {
    return secrets.get(key) ?? sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

/**
 * What a person typed after they sent a text. A text that no longer begins with the sent one is
 * another text, and is kept whole.
 */
export function withoutSent(now: string, sent: string): string {
  return now.startsWith(sent) ? now.slice(sent.length).trimStart() : now;
}

/** Empties a text that was sent. One that a person has changed since then stays. */
export const clearSent =
  (sent: string) =>
  (now: string): string =>
    now === sent ? "" : now;

/** Deletes all such texts of this tab. */
export function clearKeptTexts(): void {
  secrets.clear();
  sessionStorage.clear();
}

/** Changes a kept text to another one, or to what a function makes of the newest one. */
export type KeepText = (next: string | ((now: string) => string)) => void;

/**
 * The text under a key, and what changes it; an empty one is forgotten. A secret one survives no
 * reload. Under another key, the field has the text of that key.
 */
export function useKeptText(key: string, isSecret = false): readonly [string, KeepText] {
  const [held, setHeld] = useState(() => ({ key, text: readKeptText(key) }));
  const text = held.key === key ? held.text : readKeptText(key);
  if (held.key !== key) setHeld({ key, text });
  const keep: KeepText = (next) => {
    const kept = typeof next === "string" ? next : next(readKeptText(key));
    setHeld({ key, text: kept });
    secrets.delete(key);
    try {
      if (kept !== "" && isSecret) secrets.set(key, kept);
      else if (kept === "") sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, kept);
    } catch {
      // Without room the text lives as long as the field.
    }
  };
  return [text, keep];
}
