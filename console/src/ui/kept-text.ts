// A text that a person types, kept until it is sent: another tab of a panel, or a reload, loses
// none.
import { useCallback, useState } from "react";

/** Begins the name of a text in the browser's storage, where other things are stored too. */
const prefix = "kept:";
/** Begins the key of a choice that goes with a text. A choice by itself is no lost work. */
const choicePrefix = "choice:";

/** Texts that live as long as the page: secrets, and those that the browser does not store. */
const unstored = new Map<string, string>();

/** The text that is kept under a key; an empty one if there is none. */
export function readKeptText(key: string): string {
  try {
    return unstored.get(key) ?? sessionStorage.getItem(prefix + key) ?? "";
  } catch {
    return "";
  }
}

/** Keeps a text under a key; an empty one is forgotten, and a secret one survives no reload. */
export function saveKeptText(key: string, text: string, isSecret: boolean): void {
  unstored.set(key, text);
  try {
    if (isSecret && text !== "") return;
    if (text === "") sessionStorage.removeItem(prefix + key);
    else sessionStorage.setItem(prefix + key, text);
    unstored.delete(key);
  } catch {
    // There is no room, or no storage.
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

/** Counts the texts of this tab that are not sent or saved. */
export function countKeptTexts(): number {
  const keys = new Set(unstored.keys());
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix)) keys.add(name.slice(prefix.length));
  } catch {
    // There is no storage.
  }
  return [...keys].filter((key) => !key.startsWith(choicePrefix) && readKeptText(key).trim() !== "").length;
}

/** Deletes all such texts of this tab. */
export function clearKeptTexts(): void {
  unstored.clear();
  sessionStorage.clear();
}

/** Changes a kept text to another one, or to what a function makes of the newest one. */
export type KeepText = (next: string | ((now: string) => string)) => void;

/** The text under a key, and what changes it. Under another key, the field has that key's text. */
export function useKeptText(key: string, isSecret = false): readonly [string, KeepText] {
  const [held, setHeld] = useState(() => ({ key, text: readKeptText(key) }));
  const text = held.key === key ? held.text : readKeptText(key);
  if (held.key !== key) setHeld({ key, text });
  const keep = useCallback<KeepText>(
    (next) => {
      const kept = typeof next === "string" ? next : next(readKeptText(key));
      setHeld({ key, text: kept });
      saveKeptText(key, kept, isSecret);
    },
    [key, isSecret],
  );
  return [text, keep];
}

/** A choice that goes with a text under another key, and what changes it. */
export const useKeptChoice = (key: string): readonly [string, KeepText] => useKeptText(choicePrefix + key);
