// The messages of a run: the newest page, every event while the run works, and earlier pages.
import type { LineState, SessionState, ShownMessage } from "@switchyard/client";
import { reduce, stateOf } from "@switchyard/client/state";
import { useEffect, useMemo, useRef, useState } from "react";
import { queryClient, service } from "../api.ts";
import { joinMessages, toShown } from "../conversation/turns.ts";
import { isPassing, nextFrame } from "../session/live-session.ts";
import { recordLine } from "../shell/lines.ts";
import { useIsWatched } from "../ui/use-watched.ts";
import { wait } from "../wait.ts";
import { refreshCron } from "./live.ts";
import type { RunPath } from "./queries.ts";

const runPath = "/api/organizations/{workspaceId}/crons/{cronId}/runs/{runId}";
const partsOfPage = 200;
const retryMs = 2_000;

interface Earlier {
  messages: readonly ShownMessage[];
  /** Where the page before begins; null at the beginning. */
  before: string | null;
}

export interface RunMessages {
  /** Null until the first page has been read. */
  messages: readonly ShownMessage[] | null;
  error: unknown;
  hasEarlier: boolean;
  readEarlier: () => Promise<void>;
}

export function useRunMessages({ workspaceId, cronId, runId }: RunPath): RunMessages {
  const [state, setState] = useState<SessionState | null>(null);
  const [earlier, setEarlier] = useState<Earlier>({ messages: [], before: null });
  const [error, setError] = useState<unknown>(null);
  const path = useMemo(() => ({ workspaceId, cronId, runId }), [workspaceId, cronId, runId]);

  /** The run that is here to its end, which needs no other read. */
  const ended = useRef<string | null>(null);
  const isWatched = useIsWatched();
  useEffect(() => {
    if (!isWatched || ended.current === runId) return;
    ended.current = null;
    const leaving = new AbortController();
    const { signal } = leaving;

    /** Reads, and follows to the end of the run. Returns false if events are missing. */
    async function follow(): Promise<boolean> {
      const query = { limit: partsOfPage };
      const page = await service.request(`GET ${runPath}/messages`, { path, query, signal });
      let current = stateOf(page);
      setState(current);
      setEarlier({ messages: [], before: page.before ?? null });
      setError(null);
      if (page.status !== "running") return true;
      let isDrawing = false;
      const draw = async () => {
        if (isDrawing) return;
        isDrawing = true;
        await nextFrame();
        isDrawing = false;
        if (!signal.aborted) setState(current);
      };
      const onLine = (line: LineState) => signal.aborted || recordLine("chat", line);
      const options = { lastEventId: page.lastEventId, signal, onLine };
      const events = service.follow(`GET ${runPath}/events`, { path }, options);
      for await (const event of events) {
        current = reduce(current, event);
        if (current.isStale) return false;
        draw();
        if (event.type === "end") break;
      }
      recordLine("chat", null);
      queryClient.invalidateQueries({ queryKey: ["cron-run", runId] });
      refreshCron(cronId);
      return true;
    }

    async function keepFollowing(): Promise<void> {
      while (!signal.aborted)
        try {
          if (await follow()) {
            if (!signal.aborted) ended.current = runId;
            return;
          }
        } catch (failure) {
          if (signal.aborted) return;
          setError(failure);
          recordLine("chat", isPassing(failure) ? "waiting" : null);
          if (!isPassing(failure)) return;
          await wait(retryMs);
        }
    }

    keepFollowing();
    return () => {
      leaving.abort();
      recordLine("chat", null);
    };
  }, [path, cronId, runId, isWatched]);

  async function readEarlier(): Promise<void> {
    if (earlier.before === null) return;
    setError(null);
    try {
      const query = { limit: partsOfPage, before: earlier.before };
      const page = await service.request(`GET ${runPath}/messages`, { path, query });
      setEarlier((have) => ({
        messages: joinMessages(toShown(page.messages), have.messages, true),
        before: page.before ?? null,
      }));
    } catch (failure) {
      setError(failure);
    }
  }

  const messages = useMemo(() => state && joinMessages(earlier.messages, state.messages, true), [earlier, state]);
  return { messages, error, hasEarlier: earlier.before !== null, readEarlier };
}
