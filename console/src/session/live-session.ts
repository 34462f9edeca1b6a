// A session as it is now: the newest messages, read once, and every event after them.
import { ConnectionError, type LineState, type Session, type SessionState, SwitchyardError } from "@switchyard/client";
import { useEffect, useState } from "react";
import { queryClient, service } from "../api.ts";
import { recordLine } from "../shell/lines.ts";
import { wait } from "../wait.ts";
import { refreshSessionLists } from "./queries.ts";
import { useIsFollowed } from "./use-followed.ts";

export interface LiveSession {
  /** The session to call; null until it was found. */
  session: Session | null;
  /** Null until the first read has arrived. */
  state: SessionState | null;
  line: LineState | null;
  error: unknown;
}

const nothing: LiveSession = { session: null, state: null, line: null, error: null };
/** How many of the newest messages and blocks an open session begins with. */
export const newestItems = 200;

/** One paint a frame: what comes until then is one state. A hidden page has no frames. */
export const nextFrame = () =>
  new Promise<void>((resolve) => {
    const late = setTimeout(resolve, 200);
    requestAnimationFrame(() => {
      clearTimeout(late);
      resolve();
    });
  });

/** True for what may be over soon: a broken connection, a service that restarts, a rate limit. */
export function isPassing(error: unknown): boolean {
  if (error instanceof SwitchyardError) return error.status >= 500 || error.status === 429;
  return error instanceof ConnectionError;
}

/** True if the address names nothing: no session was found, or it has no form of a name. */
export const isNoSession = (error: unknown): boolean =>
  error instanceof RangeError || (error instanceof SwitchyardError && error.failure.code === "VALIDATION_ERROR");

/** Follows a session while the page shows it, and somebody looks at the page. */
export function useLiveSession(sessionId: string): LiveSession {
  const [live, setLive] = useState(nothing);
  const isFollowed = useIsFollowed(live.state?.jobs.at(-1) ?? null);
  useEffect(() => {
    if (!isFollowed) return;
    const leaving = new AbortController();
    const { signal } = leaving;

    async function follow(): Promise<void> {
      const session = await service.sessions.get(sessionId, { signal });
      setLive((before) => ({ ...before, session }));
      const onLine = (line: LineState) => {
        if (signal.aborted) return;
        recordLine("chat", line);
        setLive((before) => ({ ...before, line }));
      };
      for await (const state of session.states({ limit: newestItems, signal, onLine })) {
        setLive((before) => ({ ...before, state, error: null }));
        if (state.session) queryClient.setQueryData(["session", sessionId], state.session);
        await nextFrame();
      }
      refreshSessionLists();
    }

    async function keepFollowing(): Promise<void> {
      while (!signal.aborted)
        try {
          await follow();
          return;
        } catch (error) {
          if (signal.aborted) return;
          setLive((before) => ({ ...before, error, line: null }));
          recordLine("chat", isPassing(error) ? "waiting" : null);
          if (!isPassing(error)) {
            refreshSessionLists();
            return;
          }
          await wait(2_000);
        }
    }

    keepFollowing();
    return () => {
      leaving.abort();
      recordLine("chat", null);
    };
  }, [sessionId, isFollowed]);
  return live;
}
