// Up next of a session, read once and kept up to date by the session's events.
import { refused, type Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { queryClient } from "../api.ts";
import type { LiveSession } from "../session/live-session.ts";
import { applyQueueEvent, moveMessage, needsRead, withContent, withoutMessage } from "./queue.ts";

type Queue = Schemas["Queue"];
const patch = "PATCH /api/projects/{projectId}/chat-sessions/{sessionId}/queue/{queuedMessageId}";

export function useQueue({ session, state }: LiveSession) {
  const sessionId = session?.id ?? "";
  const queryKey = ["queue", sessionId];
  const [error, setError] = useState<unknown>(null);
  const event = state?.queue ?? null;
  /** The newest event when the last read began. */
  const eventAtRead = useRef<typeof event>(null);
  const { data } = useQuery<Queue>({
    queryKey,
    queryFn: () => {
      eventAtRead.current = event;
      return session ? session.upNext.list() : Promise.reject(new Error("There is no session."));
    },
    enabled: session !== null && (event?.count ?? 0) + (event?.steers?.length ?? 0) > 0,
  });

  useEffect(() => {
    if (!event || !sessionId) return;
    const key = ["queue", sessionId];
    const known = queryClient.getQueryData<Queue>(key);
    if (known) queryClient.setQueryData(key, applyQueueEvent(known, event));
    // A read in progress may have the queue from before the event, and would replace it.
    if (known && (needsRead(known, event) || queryClient.isFetching({ queryKey: key }) > 0))
      queryClient.invalidateQueries({ queryKey: key });
    else if (!known && eventAtRead.current !== event) queryClient.invalidateQueries({ queryKey: key });
  }, [event, sessionId]);

  // What may be done with a message changes with the turn.
  const turn = state?.jobs.at(-1);
  const turnNow = `${turn?.id} ${turn?.status}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again at each change of the turn.
  useEffect(() => {
    if (sessionId) queryClient.invalidateQueries({ queryKey: ["queue", sessionId] });
  }, [turnNow, sessionId]);

  /** Shows a change before the service has made it, and takes it back if it is refused. */
  async function change(apply: ((queue: Queue) => Queue) | null, call: () => Promise<unknown>): Promise<unknown> {
    const before = queryClient.getQueryData<Queue>(queryKey);
    setError(null);
    // A read in progress has the queue from before.
    if (apply && before) await queryClient.cancelQueries({ queryKey });
    if (apply && before) queryClient.setQueryData(queryKey, apply(before));
    try {
      await call();
      return null;
    } catch (refusal) {
      if (apply && before) queryClient.setQueryData(queryKey, before);
      queryClient.invalidateQueries({ queryKey });
      return refusal;
    }
  }

  const show = async (changing: Promise<unknown>) => setError(await changing);
  const upNext = session?.upNext;
  return {
    messages: event && data ? data.messages : [],
    steers: (event && data?.steers) ?? [],
    paused: (event ? event.paused : data?.paused) ?? null,
    count: event?.count ?? 0,
    error,
    clear: () => setError(null),
    move: (id: string, toIndex: number) =>
      show(
        change(
          (queue) => moveMessage(queue, id, toIndex),
          async () => upNext?.move(id, toIndex),
        ),
      ),
    remove: (id: string) =>
      change(
        (queue) => withoutMessage(queue, id),
        async () => upNext?.delete(id),
      ),
    send: (id: string) => show(change(null, async () => upNext?.send(id))),
    resume: () => show(change(null, async () => upNext?.resume())),
    /** These two resolve with the refusal, or null. */
    steer: (id: string) => change(null, async () => upNext?.steer(id)),
    edit: (id: string, content: string, version: number) =>
      change(
        (queue) => withContent(queue, id, content),
        async () => upNext?.edit(id, { content, version }),
      ),
    show: setError,
  };
}

export type ShownQueue = ReturnType<typeof useQueue>;

/** True for a refusal that says that the message has left Up next. */
export const isGone = (error: unknown): boolean =>
  refused(error, patch) && error.failure.code === "QUEUED_MESSAGE_GONE";
export const isChanged = (error: unknown): boolean =>
  refused(error, patch) && error.failure.code === "QUEUED_MESSAGE_CHANGED";
