// The reads and writes of the files of a running sandbox. Reading wakes nothing.
import { type Session, SwitchyardError } from "@switchyard/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";
import { refreshChanges } from "../changes/queries.ts";
import { wakeSandbox } from "../changes/wake.ts";

const base = "/api/projects/{projectId}/chat-sessions/{sessionId}/preview/files";
const pathOf = ({ projectId, id }: Session) => ({ projectId, sessionId: id });
/** Names this page among the clients that write. */
const clientId = crypto.randomUUID();

export const useFiles = (session: Session) =>
  useQuery({
    queryKey: ["files", session.id],
    queryFn: async ({ signal }) => (await service.request(`GET ${base}`, { path: pathOf(session), signal })).files,
    staleTime: 0,
  });

export const useFile = (session: Session, path: string) =>
  useQuery({
    queryKey: ["file", session.id, path],
    queryFn: ({ signal }) => service.request(`GET ${base}/content`, { path: pathOf(session), query: { path }, signal }),
    staleTime: 0,
  });

/** True for a save that was refused because somebody else has changed the file. */
export const hasFileChanged = (error: unknown): boolean =>
  error instanceof SwitchyardError && error.failure.code === "FILE_CHANGED";

interface SavedText {
  content: string;
  baseHash: string | undefined;
}

/** Saves a text. Where the hash of what it replaces is known, nothing else is replaced. */
export async function saveFile(session: Session, path: string, { content, baseHash }: SavedText) {
  const { hash } = await service.request(`PUT ${base}/content`, {
    path: pathOf(session),
    body: { path, content, clientId, ...(baseHash === undefined ? {} : { baseHash }) },
  });
  queryClient.setQueryData(["file", session.id, path], { content, hash });
  refreshChanges(session.id);
  return { hash };
}

export const useSaveFile = (session: Session, path: string) =>
  useMutation({
    mutationFn: (saved: SavedText) => saveFile(session, path, saved),
    // The page then asks whose text counts.
    onError: (error) => {
      if (hasFileChanged(error)) return queryClient.invalidateQueries({ queryKey: ["file", session.id, path] });
    },
  });

/** Wakes the sandbox, and reads its files once it runs. */
export const useWakeForFiles = (session: Session) =>
  useMutation({
    mutationFn: () => wakeSandbox(session),
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ["files", session.id] });
      queryClient.invalidateQueries({ queryKey: ["file", session.id] });
    },
  });
