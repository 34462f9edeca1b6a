// A text that a person types, kept until it is sent: another tab of a panel, or a reload, loses
// none.
import { useState } from "react";

function readText(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

/** Deletes all such texts of this tab. */
export const clearKeptTexts = (): void => sessionStorage.clear();

/** The text under a key, and what changes it; an empty one is forgotten. */
export function useKeptText(key: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => readText(key));
  const keep = (next: string) => {
    setText(next);
    try {
      if (next === "") sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, next);
    } catch {
      // Without room the text lives as long as the field.
    }
  };
  return [text, keep];
}
