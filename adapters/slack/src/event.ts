// An event of the service, from a webhook. What concerns the session of a thread is posted there.
// The service repeats an event that got no answer: a thread gets each message once.
import { type Switchyard, SwitchyardError } from "@switchyard/client";
import { toQuestionMessage } from "./question.ts";
import { createSlack, createSwitchyard, type Env } from "./settings.ts";
import { toSlackText } from "./text.ts";
import { findSlackCode, fromPlaceId, placeKind, publishOnce, type Thread, toPlaceId } from "./thread.ts";
import { findLastWords, findQuestions } from "./turn.ts";

interface ServiceEvent {
  type: string;
  timestamp: string;
  data: { projectId?: string; sessionId?: string; sessionUrl?: string; jobId?: string; jobNumber?: number };
}

/** Refusals of Slack that pass. */
const passing = new Set(["ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable"]);

/** Posts what an event says. Throws what a retry may fix. */
export async function handleEvent(env: Env, { type, timestamp, data }: ServiceEvent): Promise<void> {
  const { projectId, sessionId, jobId, sessionUrl = "", jobNumber } = data;
  if (!projectId || !sessionId || !jobId) return;
  const service = createSwitchyard(env);
  try {
    const thread = await findThread(service, projectId, sessionId);
    if (thread === null) return;
    const message = await toMessage(service, type, { projectId, sessionId, jobId, sessionUrl, jobNumber });
    if (message === null) return;
    const since = Date.parse(timestamp) / 1_000;
    await publishOnce(createSlack(env), thread, { key: `${type} ${jobId}`, since, ...message });
  } catch (error) {
    const code = findSlackCode(error);
    // The session was deleted, or the app has left the channel. A repeat would not change that.
    const isGone = error instanceof SwitchyardError && error.status === 404;
    if (!isGone && (code === null || passing.has(code))) throw error;
    console.warn(JSON.stringify({ event: "event.dropped", type, sessionId, reason: code ?? "not_found" }));
  }
}

/**
 * The thread of a session; null for another session. Anybody who changes sessions may change the
 * metadata, so the place decides.
 */
async function findThread(service: Switchyard, projectId: string, sessionId: string): Promise<Thread | null> {
  const { session } = await service.request("GET /api/chat-sessions/{sessionId}", { path: { sessionId } });
  const thread = fromPlaceId(session.metadata[placeKind] ?? "");
  if (thread === null) return null;
  const place = { projectId, placeKind, placeId: toPlaceId(thread) };
  const has = await service.request("GET /api/projects/{projectId}/places/{placeKind}/{placeId}", { path: place });
  return has.session.id === sessionId ? thread : null;
}

interface JobOfEvent {
  projectId: string;
  sessionId: string;
  jobId: string;
  sessionUrl: string;
  jobNumber: number | undefined;
}

async function toMessage(service: Switchyard, type: string, { sessionUrl, jobNumber, ...job }: JobOfEvent) {
  const link = (words: string) => `<${toSlackText(sessionUrl)}|${words}>`;
  switch (type) {
    case "job.started":
      return jobNumber === 1 ? { text: `Started ${link("a session")}.` } : null;
    case "job.awaiting_response": {
      const questions = await findQuestions(service, job);
      return questions.length > 0 ? toQuestionMessage(questions, job) : null;
    }
    case "job.completed":
      return { text: toSlackText(await findLastWords(service, job)) || `Done: ${link("the session")}.` };
    case "job.failed": {
      const read = await service.request("GET /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat/{jobId}", {
        path: job,
      });
      return {
        text: `This failed: ${toSlackText(read.job.error ?? "the reason is not known.")} See ${link("the session")}.`,
      };
    }
    case "job.cancelled":
      return { text: `Stopped: ${link("the session")}.` };
    default:
      return null;
  }
}
