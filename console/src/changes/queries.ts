// The reads and writes of a session's changes. Asleep, they are what was saved last.
import type { Input, Schemas, Session } from "@switchyard/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { queryClient, service } from "../api.ts";
import { changedFilesQuery, changesKey, commentsKey, diffKey, gitKey } from "./changed-files.ts";
import { type PatchFile, parsePatch } from "./parse-patch.ts";
import { wakeSandbox } from "./wake.ts";

export type ChangedFile = Schemas["ChangedFile"];
export type Comment = Schemas["ReviewComment"];

const pathOf = (session: Session) => ({ projectId: session.projectId, sessionId: session.id });
const base = "/api/projects/{projectId}/chat-sessions/{sessionId}";

export const useChangedFiles = (session: Session) => useQuery(changedFilesQuery(session));

/** The patch of all files, or of one that the whole patch only names. */
export function useDiff(session: Session, file: string | null, isWanted = true) {
  const query = useQuery({
    queryKey: [...diffKey(session.id), file],
    queryFn: ({ signal }) =>
      service.request(`GET ${base}/preview/diff`, {
        path: pathOf(session),
        query: { kept: true, ...(file === null ? {} : { path: file }) },
        signal,
      }),
    enabled: isWanted,
    staleTime: 0,
  });
  const patch = query.data?.patch;
  const files = useMemo(() => (patch === undefined ? new Map<string, PatchFile>() : parsePatch(patch)), [patch]);
  return { ...query, files };
}

/** No event reports what others comment on and commit, so the page asks while it is in sight. */
const lookEveryMs = 30_000;

/** The state of git. When it has changed, for example by another's commit, so have the files. */
export function useGitState(session: Session) {
  const query = useQuery({
    queryKey: gitKey(session.id),
    queryFn: ({ signal }) => service.request(`GET ${base}/preview/git-state`, { path: pathOf(session), signal }),
    staleTime: 0,
    refetchInterval: lookEveryMs,
  });
  const { data } = query;
  const before = useRef(data);
  useEffect(() => {
    const isChanged = before.current !== undefined && before.current !== data;
    before.current = data;
    if (!isChanged) return;
    // A read in progress began with this one.
    for (const queryKey of [changesKey(session.id), diffKey(session.id)])
      queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
  }, [data, session.id]);
  return query;
}

export const useComments = (session: Session) =>
  useQuery({
    queryKey: commentsKey(session.id),
    queryFn: () => session.comments.list(),
    staleTime: 0,
    refetchInterval: lookEveryMs,
  });

/** Reads all that a commit, a push or a saved file changes. */
export function refreshChanges(sessionId: string): void {
  for (const queryKey of [changesKey(sessionId), diffKey(sessionId), gitKey(sessionId), commentsKey(sessionId)])
    queryClient.invalidateQueries({ queryKey });
}

type NewComment = Input<`POST ${typeof base}/review-comments`>["body"];

function keepComments(session: Session, change: (comments: Comment[]) => Comment[]): void {
  const filter = { queryKey: commentsKey(session.id), exact: true };
  queryClient.setQueryData<Comment[]>(filter.queryKey, (comments = []) => change(comments));
  // A read in progress may have the comments from before the change, and would replace them.
  if (queryClient.isFetching(filter) > 0) queryClient.invalidateQueries(filter);
}

export const useAddComment = (session: Session) =>
  useMutation({
    mutationFn: ({ comment, key }: { comment: NewComment; key: string }) =>
      service.request(`POST ${base}/review-comments`, { path: pathOf(session), body: comment, idempotencyKey: key }),
    onSuccess: ({ comment: added }) => keepComments(session, (comments) => [...comments, added]),
  });

export const useChangeComment = (session: Session) =>
  useMutation({
    mutationFn: ({ id, ...body }: { id: string; body?: string; resolved?: boolean }) =>
      service.request(`PATCH ${base}/review-comments/{commentId}`, {
        path: { ...pathOf(session), commentId: id },
        body,
      }),
    onSuccess: ({ comment }) =>
      keepComments(session, (comments) => comments.map((one) => (one.id === comment.id ? comment : one))),
  });

export const useDeleteComment = (session: Session) =>
  useMutation({
    mutationFn: (id: string) =>
      service.request(`DELETE ${base}/review-comments/{commentId}`, { path: { ...pathOf(session), commentId: id } }),
    onSuccess: (_, id) => keepComments(session, (comments) => comments.filter((one) => one.id !== id)),
  });

/** How many comments go with one message. */
export const commentsAtMost = 50;

export const useSendComments = (session: Session) =>
  useMutation({
    mutationFn: ({ text, comments, key }: { text: string; comments: Comment[]; key: string }) =>
      session.send(text, { comments: comments.slice(0, commentsAtMost), idempotencyKey: key }),
  });

export const useDraftMessage = (session: Session) =>
  useMutation({
    mutationFn: async () => {
      // It is written from the files of a running sandbox.
      await wakeSandbox(session);
      return (await service.request(`POST ${base}/preview/git/commit-message`, { path: pathOf(session) })).message;
    },
    onSuccess: () => refreshChanges(session.id),
  });

export const useCommit = (session: Session) =>
  useMutation({
    mutationFn: (message: string) => session.commit(message),
    onSuccess: () => refreshChanges(session.id),
  });

export const usePush = (session: Session) =>
  useMutation({ mutationFn: () => session.push(), onSuccess: () => refreshChanges(session.id) });
