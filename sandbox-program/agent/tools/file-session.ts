// The file_session tool: files work that deserves its own session in the project's Backlog, where a
// person can start it.
import type { FiledSessionsBlock } from "../../../src/chat/rules/block.ts";
import type { Redaction } from "../../../src/rules/redaction.ts";
import type { TurnStart } from "../../../src/sandbox-protocol/protocol.ts";
import { priorities } from "../../../src/session/rules/session.ts";
import { fetchFromService } from "../../http/service-fetch.ts";
import { toFields } from "../../http/unknown-fields.ts";
import type { AgentTool } from "../agent.ts";

type FiledSession = FiledSessionsBlock["sessions"][number];

const attempts = 2;
const attemptTimeoutMs = 15_000;

/**
 * Files sessions through the service's API, on behalf of the turn. Everybody in the project reads
 * them, so they show no secret.
 */
export function createFileSessionTool(api: TurnStart["api"], redaction: Redaction): AgentTool {
  return {
    name: "file_session",
    label: "File session",
    description:
      "File a session in the project's Backlog for work that lies outside the present task: a bug you came across, a follow-up, a " +
      "part the user wants done separately. The user sees it and may start it later; the agent that works on it knows only the prompt.",
    parameters: {
      type: "object",
      properties: {
        title: { type: "string", description: "A few words that name the work" },
        prompt: { type: "string", description: "The whole task, for somebody who has not read this conversation" },
        model: { type: "string", description: "The model to run it on, if somebody named one" },
        priority: { type: "string", enum: [...priorities], description: "How urgent it is; no priority if left out" },
      },
      required: ["title", "prompt"],
    },
    run: async (input, signal) => {
      const { title, prompt, model, priority } = redaction.value(toFields(input));
      if (typeof title !== "string" || typeof prompt !== "string") throw new Error("Give a `title` and a `prompt`.");
      const session = await fileSession(api, { title, prompt, ...toTexts({ model, priority }) }, signal);
      return {
        text: `Filed in the Backlog: session ${session.sessionId}, "${session.title}".`,
        endsTurn: false,
        event: { type: "filed_session", session },
      };
    },
  };
}

/** The text fields. A model sends an empty text for a field that it leaves out. */
const toTexts = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === "string" && value !== ""));

/**
 * Files a session in the Backlog. Without a title, the service derives one from the prompt. The
 * agent gets the message of an error.
 */
export async function fileSession(
  api: TurnStart["api"],
  session: { title?: string; prompt: string; model?: string; priority?: string },
  signal: AbortSignal,
): Promise<FiledSession> {
  const answer = await post(api, JSON.stringify({ ...session, status: "backlog" }), signal);
  const fields = toFields(await answer.json().catch(() => null));
  if (answer.status !== 201) {
    const reason = typeof fields.error === "string" ? fields.error : `The service answered ${answer.status}.`;
    throw new Error(`The session was not filed: ${reason}`);
  }
  const { id, title, projectId } = toFields(toFields(fields.data).session);
  if (typeof id !== "string") throw new Error("The service did not say which session it filed.");
  return {
    sessionId: id,
    projectId: typeof projectId === "string" ? projectId : api.projectId,
    title: typeof title === "string" ? title : (session.title ?? ""),
  };
}

async function post(api: TurnStart["api"], body: string, stopped: AbortSignal): Promise<Response> {
  const headers = {
    authorization: `Bearer ${api.token}`,
    "content-type": "application/json",
    // A retry after a lost response files nothing twice.
    "idempotency-key": crypto.randomUUID(),
  };
  const url = `${api.url}/api/projects/${api.projectId}/chat-sessions`;
  for (let attempt = 1; ; attempt++) {
    try {
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(attemptTimeoutMs)]);
      return await fetchFromService(url, { method: "POST", headers, body, signal });
    } catch {
      if (attempt === attempts || stopped.aborted)
        throw new Error("The session was not filed: the service could not be reached.");
    }
  }
}
