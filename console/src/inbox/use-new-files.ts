// The files of the draft of a new session. They are kept in the browser's database, with the files
// of other drafts.
import { useEffect, useRef, useState } from "react";
import { readDraft, type SavedDraft, saveDraft } from "../composer/draft-store.ts";

const withFiles = (files: readonly File[]): SavedDraft => ({
  ...{ text: "", picks: null, edit: null, page: null, outgoing: [] },
  files,
});

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
    dropFiles: (sent: readonly File[]) => setFiles((known) => known.filter((file) => !sent.includes(file))),
  };
}
