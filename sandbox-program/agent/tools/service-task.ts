// Runs a task on the service for a tool. A task may be sent again; the service performs it once.

import { fetchFromService } from "../../http/service-fetch.ts";
import { toFields } from "../../http/unknown-fields.ts";
import type { AgentToolAnswer } from "../agent.ts";
import { readQuestions } from "./ask-clarification.ts";

/** The URL for tasks, and the token that authorizes them. */
export interface ServiceEndpoint {
  url: string;
  token: string;
}

const attempts = 2;
const attemptTimeoutMs = 60_000;

/**
 * Runs the tool's task on the service. Questions to the user end the turn. The agent gets the
 * message of an error.
 */
export async function runServiceTask(
  endpoint: ServiceEndpoint,
  tool: string,
  input: Record<string, unknown>,
  stopped: AbortSignal,
): Promise<AgentToolAnswer> {
  return readAnswer(await callService(endpoint, tool, input, stopped));
}

/** Calls the service and returns its response. The agent gets the message of an error. */
export async function callService(
  { url, token }: ServiceEndpoint,
  tool: string,
  input: Record<string, unknown>,
  stopped: AbortSignal,
): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === attempts || stopped.aborted;
    const answer = await fetchFromService(`${url}/${tool}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(input),
      signal: AbortSignal.any([stopped, AbortSignal.timeout(attemptTimeoutMs)]),
    }).catch(() => null);
    if (answer?.ok) return await answer.json().catch(() => null);
    if (answer && (answer.status < 500 || isLast)) throw new Error(await readReason(answer));
    await answer?.body?.cancel();
    if (isLast) throw new Error("The service could not be reached.");
  }
}

function readAnswer(answer: unknown): AgentToolAnswer {
  const { text, questions, endsTurn } = toFields(answer);
  if (typeof text !== "string") throw new Error("The service did not say what it did.");
  if (questions === null || questions === undefined) return { text, endsTurn: endsTurn === true, event: null };
  return { text, endsTurn: true, event: { type: "clarification", questions: readQuestions({ questions }) } };
}

async function readReason(answer: Response): Promise<string> {
  const responseText = await answer.text().catch(() => "");
  return responseText === "" ? `The service answered ${answer.status}.` : responseText;
}
