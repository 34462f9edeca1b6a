// The Deploy Chat as it is now: what was read, and every event after it.
import type { LineState, SessionState } from "@switchyard/client";
import { reduce, stateOf } from "@switchyard/client/state";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { queryClient, service } from "../api.ts";
import { isPassing } from "../session/live-session.ts";
import { useIsFollowed } from "../session/use-followed.ts";
import { recordLine } from "../shell/lines.ts";
import { wait } from "../wait.ts";
import { joinJobs, type KnownTurns, keepTurns, noTurns, toTurnMessages } from "./deploy-turns.ts";

export const deployChatQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["deploy-chat", projectId],
    queryFn: ({ signal }) =>
      service.request("GET /api/projects/{projectId}/deploy-messages", { path: { projectId }, signal }),
  });

export interface LiveDeploys {
  /** Messages, turns and the newest event of Up next; null until the first read has arrived. */
  state: SessionState | null;
  error: unknown;
}

const paintMs = 50;
const againMs = 2_000;
/** Between two reads that follow each other. */
const restMs = 200;

/** Follows the Deploy Chat while the page shows it. Its facts are read again as they change. */
export function useLiveDeploys(projectId: string) {
  const [live, setLive] = useState<LiveDeploys>({ state: null, error: null });
  const { data: chat = null } = useQuery(deployChatQuery(projectId));
  const isFollowed = useIsFollowed(live.state?.jobs.at(-1) ?? null);
  useEffect(() => {
    if (!isFollowed) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const { queryKey } = deployChatQuery(projectId);
    const known = new Set<string>();
    // The chat has no records of earlier turns, so they are kept while the console is open.
    const turnsKey = ["deploy-turns", projectId];
    let turns = queryClient.getQueryData<KnownTurns>(turnsKey) ?? noTurns;
    let timer: ReturnType<typeof setTimeout> | undefined;

    function show(followed: SessionState): void {
      clearTimeout(timer);
      const state = { ...followed, jobs: joinJobs(turns.jobs, followed.jobs) };
      timer = setTimeout(() => signal.aborted || setLive((before) => ({ ...before, state, error: null })), paintMs);
    }

    /** Follows until something may be missing. */
    async function follow(): Promise<void> {
      const stopping = new AbortController();
      const onLine = (line: LineState) => stopping.signal.aborted || recordLine("chat", line);
      const options = { signal: AbortSignal.any([signal, stopping.signal]), onLine };
      const input = { path: { projectId }, query: { snapshot: true } };
      let state: SessionState | null = null;
      try {
        for await (const event of service.follow(
          "GET /api/projects/{projectId}/deploy-messages/events",
          input,
          options,
        )) {
          if (state === null) {
            // The stream is open, so that nothing is missed between the read and its events.
            const { messages, lastStreamId } = await queryClient.fetchQuery({
              ...deployChatQuery(projectId),
              staleTime: 0,
            });
            state = stateOf({ messages: toTurnMessages(messages, lastStreamId, turns.turnOf) });
            show(state);
            if (event.type === "reset") continue;
          }
          if (event.type === "reset") return;
          if (event.type === "deploy") {
            for (const changed of [queryKey, ["deploys", projectId]])
              queryClient.invalidateQueries({ queryKey: changed });
            continue;
          }
          // What the service says is read with the turn that it belongs to.
          if (event.type === "block" && event.data.role === "system") {
            const { messageId } = event.data;
            if (state.messages.some(({ id }) => id === messageId)) continue;
            return;
          }
          // A turn that begins takes in what the service said before it.
          if (event.type === "job" && !known.has(event.data.job.id)) {
            const { id } = event.data.job;
            known.add(id);
            if (!state.messages.some(({ jobId }) => jobId === id)) return;
          }
          state = reduce(state, event);
          if (state.isStale) return;
          show(state);
        }
      } finally {
        stopping.abort();
        if (state !== null) {
          turns = keepTurns(turns, state);
          queryClient.setQueryData(turnsKey, turns);
        }
      }
    }

    async function keepFollowing(): Promise<void> {
      while (!signal.aborted)
        try {
          await follow();
          await wait(restMs);
        } catch (error) {
          if (signal.aborted) return;
          setLive((before) => ({ ...before, error }));
          recordLine("chat", isPassing(error) ? "waiting" : null);
          if (!isPassing(error)) return;
          await wait(againMs);
        }
    }

    keepFollowing();
    return () => {
      leaving.abort();
      recordLine("chat", null);
      clearTimeout(timer);
    };
  }, [projectId, isFollowed]);
  return { ...live, chat };
}
