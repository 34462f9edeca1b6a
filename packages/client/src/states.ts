// The states of a session as they change: it reads, follows, and reads again where events may be
// missing.
import type { Schemas } from "./generated/api.ts";
import type { Http } from "./http.ts";
import { type LineOptions, listLiveEvents, type RawEvent } from "./live.ts";
import { reduce, type SessionRead, type SessionState, stateOf } from "./state.ts";
import { isDeletion, type SessionPath } from "./turn.ts";

export interface StatesOptions extends Omit<LineOptions, "lastEventId"> {
  /** How many of the newest messages and blocks are read; the whole conversation if left out. */
  limit?: number | undefined;
}

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}";

/** Lists the states of a session, the newest at each time. @internal */
export async function* listStates(
  http: Http,
  session: SessionPath,
  options: StatesOptions,
): AsyncGenerator<SessionState, void, undefined> {
  let isOver = false;
  while (!isOver) isOver = yield* listUntilStale(http, session, options);
}

/** Lists the states from one read on. Returns false if it has to begin again. */
async function* listUntilStale(
  http: Http,
  session: SessionPath,
  { limit, signal, onLine }: StatesOptions,
): AsyncGenerator<SessionState, boolean, undefined> {
  const stopping = new AbortController();
  let events: AsyncGenerator<RawEvent, void, undefined> | null = null;
  let isLive = () => {};
  const opened = new Promise<void>((resolve) => {
    isLive = resolve;
  });
  try {
    // A page says where it ends, and the stream continues there. For the whole conversation, the
    // stream is opened first: it brings the newest turn from its beginning, and the read has all
    // turns before it.
    const page = limit === undefined ? null : await readState(http, session, limit, signal);
    const options: LineOptions = {
      lastEventId: page?.lastEventId,
      signal: signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal,
      onLine(state) {
        if (state === "live") isLive();
        onLine?.(state);
      },
    };
    events = listLiveEvents(http, `GET ${path}/events`, { path: { ...session } }, options, isDeletion);
    const first = events.next();
    // What was read is shown while the stream waits for a connection.
    if (page?.lastEventId) return yield* listChanges(stateOf(page), first, events);
    await Promise.race([opened, first]);
    return yield* listChanges(stateOf(await readState(http, session, limit, signal)), first, events);
  } finally {
    stopping.abort();
    // A signal does not resume a generator that is at its `yield`, as it is after a stale state if
    // its connection had more events. Its timer and its listeners would stay.
    void events?.return().catch(() => {});
  }
}

/** The states after a read. Returns true if no more can follow. */
async function* listChanges(
  begin: SessionState,
  first: Promise<IteratorResult<RawEvent, void>>,
  events: AsyncGenerator<RawEvent, void, undefined>,
): AsyncGenerator<SessionState, boolean, undefined> {
  let state = begin;
  let isOver = false;
  let failure: { error: unknown } | null = null;
  let changed = () => {};

  async function receive(): Promise<void> {
    try {
      for (let next = await first; !next.done && !state.isStale; next = await events.next()) {
        state = reduce(state, next.value);
        changed();
      }
    } catch (error) {
      failure = { error };
    }
    isOver = true;
    changed();
  }

  receive();
  for (let shown: SessionState | null = null; ; ) {
    // A part of the stream has many events. They are one state.
    await new Promise((resolve) => setTimeout(resolve));
    if (state.isStale) return false;
    if (state !== shown) {
      shown = state;
      yield shown;
    } else if (failure !== null) throw (failure as { error: unknown }).error;
    else if (isOver) return true;
    else
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
  }
}

/** Reads what a state begins with: the messages first, so that what else is read is not older. */
async function readState(
  http: Http,
  session: SessionPath,
  limit: number | undefined,
  signal: AbortSignal | undefined,
): Promise<SessionRead> {
  const input = { path: { ...session }, signal };
  const { data } = await http.call(`GET ${path}/messages`, { ...input, query: { limit } });
  const [record, jobs, queue] = await Promise.all([
    http.call(`GET ${path}`, input),
    http.call(`GET ${path}/jobs/chat`, { ...input, query: { pageSize: 1 } }),
    http.call(`GET ${path}/queue`, input),
  ]);
  const { messages, paused, steers } = queue.data as Schemas["Queue"];
  return {
    ...(data as { messages: Schemas["Message"][]; lastEventId?: string }),
    ...(record.data as { session: Schemas["Session"] }),
    jobs: jobs.data as Schemas["Job"][],
    queue: {
      count: messages.length,
      paused,
      messages: messages.map(({ id, position, version, editingBy }) => ({ id, position, version, editingBy })),
      ...(steers && { steers: steers.map(({ steerId }) => steerId) }),
    },
  };
}
