// Waits until the newest turn of a session is over, or its agent asks.
import { mcpWaitsMax } from "../rules/limits.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import type { Api } from "./api.ts";
import { type JobData, type Outcome, type SessionData, toOutcome } from "./rules/text.ts";
import { findSession, type ToolCall, toParams } from "./tool.ts";

export interface Waited {
  outcome: Outcome;
  session: SessionData;
  job: JobData | null;
}

export interface WaitOptions {
  named: string;
  seconds: number;
  /** Only a later job than this one is waited for. */
  afterJob: number;
}

const progressEveryMs = 10_000;

/** The waits of each credential, in this isolate: they hold its memory. */
const waiting = new Map<string, number>();

/** Waits at most `seconds`. The stream wakes the wait; the session itself is read again. */
export async function waitForSession(
  { api, credential, signal, progress }: ToolCall,
  { named, seconds, afterJob }: WaitOptions,
): Promise<Waited | Refusal> {
  const startedAt = Date.now();
  const first = await readSession();
  const others = waiting.get(credential) ?? 0;
  if (isRefusal(first) || isOver(first) || seconds === 0 || others >= mcpWaitsMax) return first;
  waiting.set(credential, others + 1);
  try {
    return await waitForEnd(first);
  } finally {
    const left = (waiting.get(credential) ?? 1) - 1;
    if (left > 0) waiting.set(credential, left);
    else waiting.delete(credential);
  }

  async function waitForEnd(begin: Waited): Promise<Waited | Refusal> {
    const stop = new AbortController();
    const stream = await api.follow("followSession", {
      params: toParams(begin.session),
      signal: AbortSignal.any([signal, stop.signal]),
    });
    if (isRefusal(stream)) return stream;
    const endsAt = startedAt + seconds * 1_000;
    const events = readEvents(stream.getReader());
    const progressTimer = setInterval(
      () => void progress((Date.now() - startedAt) / 1_000).catch(() => {}),
      progressEveryMs,
    );
    try {
      let now: Waited | Refusal = begin;
      while (!isRefusal(now) && !isOver(now) && Date.now() < endsAt && !signal.aborted) {
        const isMore = await Promise.race([events.next(), scheduler.wait(endsAt - Date.now()).then(() => false)]);
        now = await readSession();
        if (!isMore) break;
      }
      return now;
    } finally {
      clearInterval(progressTimer);
      stop.abort();
      events.cancel();
    }
  }

  async function readSession(): Promise<Waited | Refusal> {
    const session = await findSession(api, named);
    if (isRefusal(session)) return session;
    const job = await findNewestJob(api, session);
    if (isRefusal(job)) return job;
    if (job !== null && job.jobNumber > afterJob) return { outcome: toOutcome(job), session, job };
    // A job that is waited for may not have started yet.
    const isIdle = job === null && afterJob === 0 && session.queue.count === 0;
    return { outcome: isIdle ? "idle" : "working", session, job: null };
  }
}

/** The newest job, from the session's object: the row in lists may be older. */
export async function findNewestJob(api: Api, session: SessionData): Promise<JobData | Refusal | null> {
  const jobs = await api.call<JobData[]>("listJobs", { params: toParams(session), query: { pageSize: "1" } });
  return isRefusal(jobs) ? jobs : (jobs[0] ?? null);
}

const isOver = (waited: Waited) => waited.outcome !== "working";

/** Events that can end a wait. Text of the agent cannot. */
const relevant = /^event: (job|session|queue|end|reset)$/m;

/** Reads a stream to the next relevant event. */
function readEvents(reader: ReadableStreamDefaultReader<Uint8Array>) {
  const decoder = new TextDecoder();
  let rest = "";
  return {
    /** True for an event, false for the end of the stream. */
    async next(): Promise<boolean> {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return false;
        const text = rest + decoder.decode(value, { stream: true });
        const lines = text.split("\n");
        rest = (lines.pop() ?? "").slice(0, 100);
        if (relevant.test(lines.join("\n"))) return true;
      }
    },
    cancel: () => void reader.cancel().catch(() => {}),
  };
}
