// The text of a file while it is edited, kept in this browser until it is saved or discarded.
import { SwitchyardError } from "@switchyard/client";
import { useEffect, useState } from "react";

export interface FileDraft {
  text: string;
  /** The file as it was when the editing began. */
  base: string;
  /** The hash of `base`; missing in drafts of earlier versions of this page. */
  baseHash?: string | undefined;
  /** True if it is to be saved when the turn ends. */
  isWaiting?: boolean;
}

const prefix = "file-draft:";
const keyOf = (sessionId: string, path: string) => `${prefix}${sessionId}:${path}`;

const listKeys = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix));

/** How many files are edited in this browser. */
export const countFileDrafts = (): number => listKeys().length;

/** Deletes the drafts of files of everybody who has used this browser. */
export function clearFileDrafts(): void {
  for (const key of listKeys()) localStorage.removeItem(key);
}

function readDraft(key: string): FileDraft | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

function keepDraft(key: string, draft: FileDraft | null): void {
  try {
    if (draft === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Without room the draft lives as long as the page.
  }
}

/** The draft once a text was saved: what was typed meanwhile stays one. */
export const withoutSaved = (now: FileDraft | null, text: string, hash: string): FileDraft | null =>
  now === null || now.text === text ? null : { ...now, base: text, baseHash: hash };

/** The files of a session whose drafts wait for the end of its turn. */
export function listWaitingPaths(sessionId: string): string[] {
  const start = keyOf(sessionId, "");
  return listKeys()
    .filter((key) => key.startsWith(start) && readDraft(key)?.isWaiting)
    .map((key) => key.slice(start.length));
}

/** Saves a draft that waits. After a refusal it is there when its file is opened. */
export async function saveWaiting(
  sessionId: string,
  path: string,
  save: (text: string, baseHash: string) => Promise<{ hash: string }>,
): Promise<void> {
  const key = keyOf(sessionId, path);
  const draft = readDraft(key);
  if (!draft?.isWaiting) return;
  // Another window of the session then does not save it.
  keepDraft(key, { ...draft, isWaiting: false });
  const { text, baseHash } = draft;
  // Without a hash, what the turn wrote would be overwritten.
  if (baseHash === undefined) return;
  try {
    const { hash } = await save(text, baseHash);
    keepDraft(key, withoutSaved(readDraft(key), text, hash));
  } catch (error) {
    // The next turn has started already.
    const isAgain = error instanceof SwitchyardError && error.failure.code === "JOB_ACTIVE";
    if (isAgain && readDraft(key)?.text === text) keepDraft(key, draft);
  }
}

export function useFileDraft(sessionId: string, path: string) {
  const key = keyOf(sessionId, path);
  const [draft, setDraft] = useState(() => readDraft(key));
  useEffect(() => {
    // Another window edits the same file, or has saved it.
    const onStorage = (event: StorageEvent) => event.key === key && setDraft(readDraft(key));
    addEventListener("storage", onStorage);
    return () => removeEventListener("storage", onStorage);
  }, [key]);
  const keep = (next: FileDraft | null) => {
    setDraft(next);
    keepDraft(key, next);
  };
  return [draft, keep] as const;
}
