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

/** Deletes all such texts of this tab. */
export function clearKeptTexts(): void {
  secrets.clear();
  sessionStorage.clear();
}

/**
 * The text under a key, and what changes it; an empty one is forgotten. A secret one survives no
 * reload. Under another key, the field has the text of that key.
 */
export function useKeptText(key: string, isSecret = false): readonly [string, (text: string) => void] {
  const [held, setHeld] = useState(() => ({ key, text: readKeptText(key) }));
  const text = held.key === key ? held.text : readKeptText(key);
  if (held.key !== key) setHeld({ key, text });
  const keep = (next: string) => {
    setHeld({ key, text: next });
    secrets.delete(key);
    try {
      if (next !== "" && isSecret) secrets.set(key, next);
      else if (next === "") sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, next);
    } catch {
      // Without room the text lives as long as the field.
    }
  };
  return [text, keep];
}
