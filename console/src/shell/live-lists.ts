// Follows all workspaces of the person while the page is looked at. Their events keep the cached
// lists fresh, so what is answered elsewhere leaves the inbox immediately.
import type { Event, LineState, Schemas, WorkspaceEvents } from "@switchyard/client";
import { withSeen } from "@switchyard/client/state";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { isSignedOut, queryClient, service } from "../api.ts";
import { dropCron, refreshCron, refreshCrons, takeCron } from "../crons/live.ts";
import { dropClosed } from "../query-client.ts";
import { findListed, projectsQuery, type Session, type SessionFilter } from "../session/queries.ts";
import { markSeen } from "../session/seen.ts";
import { type Known, mergeSession, placeSession } from "../sessions/judge.ts";
import { useIsWatched } from "../ui/use-watched.ts";
import { wait } from "../wait.ts";
import { recordLine } from "./lines.ts";
import { profileQuery, useUserId, workspacesQuery } from "./profile.ts";
import { shareLine } from "./shared-line.ts";

const staleMs = 250;

let lastEventId: string | undefined;

const feedListeners = new Set<(event: WorkspaceEvents["activity"]["event"]) => void>();

/** Calls back for each event of the activity feed as it happens. */
export function onActivity(listener: (event: WorkspaceEvents["activity"]["event"]) => void): () => void {
  feedListeners.add(listener);
  return () => feedListeners.delete(listener);
}

let staleTimer: ReturnType<typeof setTimeout> | undefined;

function readListsSoon(): void {
  clearTimeout(staleTimer);
  staleTimer = setTimeout(() => queryClient.invalidateQueries({ queryKey: ["sessions"] }), staleMs);
}

function getKnown(): Known {
  const projects = queryClient.getQueryData(projectsQuery.queryKey) ?? [];
  return {
    userId: queryClient.getQueryData(profileQuery.queryKey)?.id ?? null,
    findWorkspace: (projectId) => projects.find(({ id }) => id === projectId)?.orgId ?? null,
  };
}

/** Takes a session as it is now into every cached list and record. */
export function takeSession(changed: Session): void {
  const known = getKnown();
  const session = withSeen(changed, findListed(changed.id) ?? findRead(changed.id));
  for (const [queryKey, list] of queryClient.getQueriesData<Session[]>({ queryKey: ["sessions"] })) {
    if (!list) continue;
    const placed = placeSession(list, session, queryKey[1] as SessionFilter, known);
    if (placed.list !== list) queryClient.setQueryData(queryKey, placed.list);
    if (placed.isStale) readListsSoon();
  }
  if (queryClient.isFetching({ queryKey: ["sessions"] }) > 0) readListsSoon();
  if (findRead(session.id))
    queryClient.setQueryData<Session>(["session", session.id], (before) => mergeSession(before, session));
}

const findRead = (sessionId: string) => queryClient.getQueryData<Session>(["session", sessionId]) ?? null;

/** Shows in every cached list and record that the person has seen what a session needs. */
export function takeSeen(sessionId: string, since: string): void {
  queryClient.setQueriesData<Session[]>({ queryKey: ["sessions"] }, (list) =>
    list?.some(({ id }) => id === sessionId)
      ? list.map((one) => (one.id === sessionId ? markSeen(one, since) : one))
      : list,
  );
  queryClient.setQueryData<Session>(["session", sessionId], (read) => read && markSeen(read, since));
}

/** The list is by name, so a new project and a new name change its order. */
function takeProject(project: Schemas["Project"]): void {
  queryClient.setQueryData<Schemas["Project"]>(["project", project.id], (read) => read && project);
  const all = queryClient.getQueryData(projectsQuery.queryKey);
  if (all?.some(({ id, name }) => id === project.id && name === project.name))
    queryClient.setQueryData(
      projectsQuery.queryKey,
      all.map((one) => (one.id === project.id ? project : one)),
    );
  else queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey });
}

function takeEvent(event: Event<WorkspaceEvents>): void {
  switch (event.type) {
    case "session":
      takeSession(event.data.session);
      return;
    case "deleted": {
      const { sessionId } = event.data;
      queryClient.setQueriesData<Session[]>({ queryKey: ["sessions"] }, (list) =>
        list?.some(({ id }) => id === sessionId) ? list.filter(({ id }) => id !== sessionId) : list,
      );
      // A full page lacks its last row now, and a read on its way may still have the session.
      readListsSoon();
      return;
    }
    case "seen":
      takeSeen(event.data.sessionId, event.data.since);
      return;
    case "activity":
      for (const listener of feedListeners) listener(event.data.event);
      return;
    case "project":
      takeProject(event.data.project);
      return;
    case "project_deleted":
      queryClient.setQueryData(projectsQuery.queryKey, (all) => all?.filter(({ id }) => id !== event.data.projectId));
      queryClient.repeatFirstReads({ queryKey: projectsQuery.queryKey });
      readListsSoon();
      return;
    case "cron":
      takeCron(event.data.workspaceId, event.data.cron);
      refreshCron(event.data.cron.id);
      return;
    case "cron_deleted":
      dropCron(event.data.workspaceId, event.data.cronId);
      return;
    case "members":
      readMembers();
      return;
    default:
      readAgain();
  }
}

/** What a page offers, and whose usage it sums up, depends on the role of who looks at it. */
function readMembers(): void {
  for (const queryKey of [["workspace"], ["members"], ["invitations"], ["usage"], workspacesQuery.queryKey])
    queryClient.invalidateQueries({ queryKey });
}

/** Reads all that events keep fresh. */
function readAgain(): void {
  readListsSoon();
  refreshCrons();
  readMembers();
  for (const queryKey of [["activity"], projectsQuery.queryKey]) queryClient.invalidateQueries({ queryKey });
}

type OnLine = (line: LineState | null) => void;

async function follow(signal: AbortSignal, onEvent: (event: Event<WorkspaceEvents>) => void, onLine: OnLine) {
  while (!signal.aborted) {
    try {
      const options = { lastEventId, signal, onLine: (next: LineState) => signal.aborted || onLine(next) };
      for await (const event of service.follow("GET /api/events", {}, options)) onEvent(event);
    } catch (error) {
      if (signal.aborted) return;
      // The sign-in has ended: the frame shows what is left.
      queryClient.invalidateQueries({
        queryKey: isSignedOut(error) ? profileQuery.queryKey : workspacesQuery.queryKey,
      });
      return;
    }
    await wait(2_000);
  }
}

function hear(event: Event<WorkspaceEvents>): void {
  if (event.id) lastEventId = event.id;
  takeEvent(event);
}

/** The ids of these workspaces, and of what is known to be in them. */
function listIds(workspaceIds: readonly string[]): Set<string> {
  const ids = new Set(workspaceIds);
  for (const { id, orgId } of queryClient.getQueryData(projectsQuery.queryKey) ?? []) if (ids.has(orgId)) ids.add(id);
  const lists = queryClient.getQueriesData<Session[]>({ queryKey: ["sessions"] }).flatMap(([, list]) => list ?? []);
  const read = queryClient.getQueriesData<Session>({ queryKey: ["session"] }).flatMap(([, session]) => session ?? []);
  for (const { id, projectId } of [...lists, ...read]) if (ids.has(projectId)) ids.add(id);
  return ids;
}

/** Keeps the lists live while the frame is shown. */
export function useLiveLists(): void {
  const { data: workspaces } = useQuery(workspacesQuery);
  useQuery(projectsQuery);
  const isWatched = useIsWatched();
  const userId = useUserId();
  const ids = (workspaces ?? []).filter(({ suspendedAt }) => suspendedAt === null).map(({ id }) => id);
  const key = ids.join(" ");
  const before = useRef("");
  useEffect(() => {
    const open = key.split(" ");
    if (before.current !== "" && before.current.split(" ").some((id) => !open.includes(id)))
      dropClosed(queryClient, listIds(open));
    before.current = key;
  }, [key]);
  useEffect(() => {
    if (!isWatched || key === "" || userId === null) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    shareLine({
      userId,
      signal,
      getLastEventId: () => lastEventId,
      onEvent: hear,
      onLine: (line) => recordLine("lists", line),
      onMissing: readAgain,
      follow: ({ onEvent, onLine }) => follow(signal, onEvent, onLine),
    });
    return () => {
      leaving.abort();
      recordLine("lists", null);
    };
  }, [key, isWatched, userId]);
}
