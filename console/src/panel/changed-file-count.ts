// How many files a session has changed, as far as it is known: the count is read by Changes.
import { useQuery } from "@tanstack/react-query";
import { changedFilesQuery } from "../changes/changed-files.ts";

/** The number of changed files; null until Changes has read them. */
export function useChangedFileCount(session: { projectId: string; id: string } | null): number | null {
  const { data } = useQuery({ ...changedFilesQuery(session ?? { projectId: "", id: "" }), enabled: false });
  return data ? data.files.length : null;
}
