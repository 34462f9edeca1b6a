// The text of a file while it is edited, kept in this browser until it is saved or discarded.
import { useState } from "react";

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

export function useFileDraft(sessionId: string, path: string) {
  const key = keyOf(sessionId, path);
  const [draft, setDraft] = useState(() => readDraft(key));
  const keep = (next: FileDraft | null) => {
    setDraft(next);
    try {
      if (next === null) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Without room the draft lives as long as the page.
    }
  };
  return [draft, keep] as const;
}
