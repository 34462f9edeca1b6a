// The files of the draft of a new session. They are kept in the browser's database, with the files
// of other drafts.
import { useEffect, useRef, useState } from "react";
import { readDraft, type SavedDraft, saveDraft } from "../composer/draft-store.ts";

const withFiles = (files: readonly File[]): SavedDraft => ({
  ...{ text: "", picks: null, edit: null, page: null, outgoing: [] },
  files,
});

const isSame = (one: File, other: File) =>
  one.name === other.name && one.size === other.size && one.lastModified === other.lastModified;

/** Deletes files from a draft that no page shows. */
async function deleteFiles(chat: string, sent: readonly File[]): Promise<void> {
  const kept = (await readDraft(chat))?.files ?? [];
  const rest = kept.filter((file) => !sent.some((one) => isSame(one, file)));
  await saveDraft(chat, withFiles(kept), withFiles(rest));
}

/** The files, and how to change them. A browser without a database keeps them with the page. */
export function useNewFiles(userId: string) {
  const chat = `${userId} new`;
  const [files, setFiles] = useState<readonly File[]>([]);
  const saved = useRef<readonly File[] | null>(null);

  useEffect(() => {
    let isShown = true;
    readDraft(chat)
      .catch(() => null)
      .then((kept) => {
        if (!isShown) return;
        saved.current = kept?.files ?? [];
        // What was added while the database was read comes after what was kept.
        setFiles((added) => [...(kept?.files ?? []), ...added]);
      });
    return () => {
      isShown = false;
      saved.current = null;
    };
  }, [chat]);

  useEffect(() => {
    const before = saved.current;
    if (before === null || before === files) return;
    saved.current = files;
    saveDraft(chat, withFiles(before), withFiles(files)).catch(() => {});
  }, [chat, files]);

  return {
    files,
    addFiles: (added: readonly File[]) => setFiles((known) => [...known, ...added]),
    removeFile: (at: number) => setFiles((known) => known.filter((_, index) => index !== at)),
    /** Forgets files that were sent, also where the page was left meanwhile. */
    dropFiles: (sent: readonly File[]) => {
      if (saved.current === null) deleteFiles(chat, sent).catch(() => {});
      setFiles((known) => known.filter((file) => !sent.includes(file)));
    },
  };
}
