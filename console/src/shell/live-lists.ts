// Follows the workspaces of the person while the page is looked at. Their events keep the cached
// lists fresh, so what is answered elsewhere leaves the inbox immediately.
import type { Event, LineState, WorkspaceEvents } from "@switchyard/client";
import { withSeen } from "@switchyard/client/state";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { isSignedOut, queryClient, service } from "../api.ts";
import { findListed, projectsQuery, type Session, type SessionFilter } from "../session/queries.ts";
import { markSeen } from "../session/seen.ts";
import { type Known, mergeSession, placeSession } from "../sessions/judge.ts";
import { profileQuery, workspacesQuery } from "./profile.ts";
import { findWorstLine } from "./words.ts";

/** A browser opens six connections to a plain host, and an open session needs some of them. */
const linesMax = 3;
/** How often the lists are read where more workspaces change than are followed. */
const unfollowedMs = 20_000;
/** A page that is out of sight for this long gives its lines back. */
const hiddenMs = 30_000;
const staleMs = 250;

const lines = new Map<string, LineState>();
const lastEventIds = new Map<string, string>();
let shown: { line: LineState | null; wasLive: boolean } = { line: null, wasLive: false };
const listeners = new Set<() => void>();

function setLine(workspaceId: string, line: LineState | null): void {
  if (line === null) lines.delete(workspaceId);
  else lines.set(workspaceId, line);
  showLine();
}

/**
 * A line says nothing of a lost network before it has been silent for a while; the browser does.
 */
function showLine(): void {
  const worst = navigator.onLine ? findWorstLine(lines.values()) : "offline";
  if (worst === shown.line) return;
  shown = { line: worst, wasLive: shown.wasLive || worst === "live" };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

addEventListener("online", showLine);
addEventListener("offline", showLine);

/** How live the lists are. */
export const useLine = () => useSyncExternalStore(subscribe, () => shown);

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
      return;
    }
    case "seen":
      takeSeen(event.data.sessionId, event.data.since);
      return;
    case "activity":
      for (const listener of feedListeners) listener(event.data.event);
      return;
    default:
      readListsSoon();
      queryClient.invalidateQueries({ queryKey: ["activity"] });
  }
}

async function follow(workspaceId: string, signal: AbortSignal): Promise<void> {
  const onLine = (line: LineState) => signal.aborted || setLine(workspaceId, line);
  while (!signal.aborted) {
    try {
      const lastEventId = lastEventIds.get(workspaceId);
      for await (const event of service.workspace(workspaceId).follow({ lastEventId, signal, onLine })) {
        if (event.id) lastEventIds.set(workspaceId, event.id);
        takeEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      // The sign-in has ended, or the person is no longer a member: the frame shows what is left.
      queryClient.invalidateQueries({
        queryKey: isSignedOut(error) ? profileQuery.queryKey : workspacesQuery.queryKey,
      });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

/** False when the page has been out of sight for a while. */
function useIsWatched(): boolean {
  const [isWatched, setIsWatched] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") setIsWatched(true);
      else timer = setTimeout(() => setIsWatched(false), hiddenMs);
    };
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return isWatched;
}

/** Keeps the lists live while the frame is shown. */
export function useLiveLists(): void {
  const { data: workspaces } = useQuery(workspacesQuery);
  useQuery(projectsQuery);
  const isWatched = useIsWatched();
  const ids = (workspaces ?? []).filter(({ suspendedAt }) => suspendedAt === null).map(({ id }) => id);
  const key = ids.join(" ");
  useEffect(() => {
    if (!isWatched || key === "") return;
    const all = key.split(" ");
    const leaving = new AbortController();
    for (const id of all.slice(0, linesMax)) follow(id, leaving.signal);
    const timer = all.length > linesMax ? setInterval(readListsSoon, unfollowedMs) : undefined;
    return () => {
      leaving.abort();
      clearInterval(timer);
      for (const id of all) setLine(id, null);
    };
  }, [key, isWatched]);
}
