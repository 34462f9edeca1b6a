// The draft of a new session: what was typed, and the key under which it was sent. The same words
// go under the same key, so a draft that is sent twice makes one session.

export interface NewDraft {
  text: string;
  projectId: string | null;
  /** A model id; null for the default of the person or the workspace. */
  model: string | null;
  /** A branch; empty for the Target Branch of the project. */
  targetBranch: string;
  /** The send whose answer has not come: its key, and what it said. */
  sent: { key: string; body: string } | null;
}

export const emptyDraft: NewDraft = { text: "", projectId: null, model: null, targetBranch: "", sent: null };

/** What makes one file of a new session different from another. */
type Files = readonly Pick<File, "name" | "size" | "lastModified">[];

function formatBody({ text, projectId, model, targetBranch }: NewDraft, files: Files): string {
  const ofFiles = files.map(({ name, size, lastModified }) => [name, size, lastModified]);
  return JSON.stringify([
    ...[text.trim(), projectId, model],
    ...(targetBranch === "" ? [] : [targetBranch]),
    ...(ofFiles.length === 0 ? [] : [ofFiles]),
  ]);
}

/** The draft as it is about to be sent: under its old key where it says the same as before. */
export function sealDraft(
  draft: NewDraft,
  drawKey: () => string,
  files: Files = [],
): NewDraft & { sent: { key: string; body: string } } {
  const body = formatBody(draft, files);
  return { ...draft, sent: draft.sent?.body === body ? draft.sent : { key: drawKey(), body } };
}

/** True if a send of exactly this draft may have arrived. */
export const isUnsure = (draft: NewDraft, files: Files = []): boolean => draft.sent?.body === formatBody(draft, files);

/** Reads a kept draft. What is not one reads as an empty one. */
export function parseDraft(kept: string | null): NewDraft {
  try {
    const { text, projectId, model, targetBranch, sent } = JSON.parse(kept ?? "{}");
    const isSent = typeof sent?.key === "string" && typeof sent.body === "string";
    return {
      text: typeof text === "string" ? text : "",
      projectId: typeof projectId === "string" ? projectId : null,
      model: typeof model === "string" ? model : null,
      targetBranch: typeof targetBranch === "string" ? targetBranch : "",
      sent: isSent ? { key: sent.key, body: sent.body } : null,
    };
  } catch {
    return emptyDraft;
  }
}

const prefix = "new-session:";

/** The draft that a person has in this browser. */
export function readDraft(userId: string): NewDraft {
  try {
    return parseDraft(localStorage.getItem(prefix + userId));
  } catch {
    return emptyDraft;
  }
}

/** Keeps a draft. A browser that keeps nothing loses it with the page. */
export function keepDraft(userId: string, draft: NewDraft): void {
  try {
    localStorage.setItem(prefix + userId, JSON.stringify(draft));
  } catch {
    // The text is still in its field.
  }
}

/** Calls back with what another window has made of the draft. Returns what ends this. */
export function watchDraft(userId: string, onDraft: (draft: NewDraft) => void): () => void {
  const onStorage = ({ key }: StorageEvent) => key === prefix + userId && onDraft(readDraft(userId));
  addEventListener("storage", onStorage);
  return () => removeEventListener("storage", onStorage);
}

/** Deletes the drafts of new sessions of everybody who has used this browser. */
export function clearNewDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
}
