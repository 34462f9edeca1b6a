// The tools that start sessions and work with them.
import * as z from "zod";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { getInvocationCharacter } from "../../skill/rules/skill-call.ts";
import type { Api } from "../api.ts";
import {
  findLastAnswer,
  formatQuestion,
  formatSession,
  type JobData,
  listQuestions,
  type MessageData,
  type SessionData,
  toQuoted,
  toShortText,
  withoutPrompt,
} from "../rules/text.ts";
import { createTool, findSession, type ProjectData, readProjects, toParams } from "../tool.ts";
import { findNewestJob, type Waited, waitForSession } from "../wait.ts";

export const sessionField = z
  .string()
  .describe("The session: its id, the last 6 characters of it or more, its branch, `pr:12`, or its address.");
const keyField = z
  .string()
  .optional()
  .describe("An Idempotency-Key: a call that is repeated with the same key is done once.");

async function findProject(api: Api, named: string): Promise<ProjectData | Refusal> {
  const projects = await readProjects(api);
  if (isRefusal(projects)) return projects;
  const found = projects.filter(({ id, name, repository }) => [id, name, repository].includes(named));
  if (found.length === 1 && found[0]) return found[0];
  const known = projects.map(({ name, repository }) => `${name} (${repository})`).join(", ");
  return refuse(
    "NOT_FOUND",
    found.length === 0
      ? `There is no project \`${named}\`. Those that you can reach: ${known || "none"}.`
      : `Several projects are called \`${named}\`. Name one by its id: ${found.map(({ id }) => id).join(", ")}.`,
  );
}

const titleCharacters = 80;

const startSession = createTool({
  name: "start_session",
  title: "Start a session",
  description:
    "Start a session: a coding agent works on the prompt in a sandbox of its own, on a branch of its own. Then wait with wait_for_session.",
  effect: "work",
  input: z.object({
    project: z.string().describe("The project: its name, `owner/name` of its repository, or its id."),
    prompt: z
      .string()
      .min(1)
      .describe("What the agent is to do. It knows the repository, and nothing of this conversation."),
    title: z
      .string()
      .max(200)
      .optional()
      .describe("The title that people read; by default the beginning of the prompt."),
    model: z.string().optional().describe("The id of a model; by default that of the member."),
    target_branch: z.string().optional().describe("The branch that the pull request merges into."),
    limit_usd: z.number().min(0).optional().describe("What the session may cost the workspace, in US dollars."),
    metadata: z.record(z.string(), z.string()).optional().describe("Texts by keys, to find the session."),
    result_schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("The JSON Schema of an object that the turn must end with; wait_for_session then has it as `result`."),
    key: keyField,
  }),
  async run({ project: named, prompt, title, model, metadata, key, ...given }, { api }) {
    const { target_branch: targetBranch, limit_usd: spendLimitUsd, result_schema: resultSchema } = given;
    const project = await findProject(api, named);
    if (isRefusal(project)) return project;
    const firstLine = prompt.trim().split("\n")[0] ?? "";
    const started = await api.call<{ session: SessionData }>("createSession", {
      params: { projectId: project.id },
      key,
      body: {
        title: title ?? firstLine.slice(0, titleCharacters),
        content: prompt,
        model,
        targetBranch,
        spendLimitUsd,
        metadata,
        resultSchema,
      },
    });
    if (isRefusal(started)) return started;
    return {
      text: `${formatSession(started.session)}\n\nThe agent works. Call wait_for_session next.`,
      data: { session: withoutPrompt(started.session) },
    };
  },
});

interface Delivered {
  delivery: "job" | "queued" | "steer";
  chatJobId?: string;
  jobNumber?: number;
}

function formatDelivery({ delivery, jobNumber }: Delivered): string {
  switch (delivery) {
    case "job":
      return `Turn ${jobNumber} started. Call wait_for_session next.`;
    case "queued":
      return "The message waits in Up next, until the running turn is over.";
    case "steer":
      return "The running turn gets the message at its next step.";
  }
}

const sendMessage = createTool({
  name: "send_message",
  title: "Send a message",
  description:
    "Send a message to a session. It starts a turn, or waits in Up next while a turn runs. With the mode `steer` the running turn gets it. It cannot merge: only a person ships.",
  effect: "work",
  input: z.object({
    session: sessionField,
    text: z.string().min(1).describe("The message."),
    mode: z.enum(["queue", "steer"]).default("queue").describe("What happens while a turn runs."),
    key: keyField,
  }),
  async run({ session: named, text, mode, key }, { api }) {
    const session = await findSession(api, named);
    if (isRefusal(session)) return session;
    const body = { content: text, ...(mode === "steer" && { steer: true }) };
    const sent = await api.call<Delivered>("sendMessage", { params: toParams(session), key, body });
    return isRefusal(sent) ? sent : { text: formatDelivery(sent), data: { ...sent } };
  },
});

const answerQuestion = createTool({
  name: "answer_question",
  title: "Answer the agent's question",
  description:
    "Answer the questions with which a turn ended. get_session and wait_for_session show them with the numbers of their options.",
  effect: "work",
  input: z.object({
    session: sessionField,
    answers: z
      .array(
        z.strictObject({
          question: z.union([z.int().min(0), z.string()]).describe("The question: its number, or its text."),
          option: z.union([z.int().min(0), z.string()]).describe("The chosen option: its number, or its title."),
        }),
      )
      .default([])
      .describe("A choice for each question."),
    text: z.string().default("").describe("Further instructions for the agent."),
  }),
  async run({ session: named, answers, text }, { api }) {
    const session = await findSession(api, named);
    if (isRefusal(session)) return session;
    const body = { content: text, answers };
    const sent = await api.call<Delivered>("sendMessage", { params: toParams(session), body });
    return isRefusal(sent) ? sent : { text: formatDelivery(sent), data: { ...sent } };
  },
});

const stopTurn = createTool({
  name: "stop_turn",
  title: "Stop the running turn",
  description: "Stop the turn that runs in a session. Its changes stay in the sandbox.",
  effect: "expose",
  input: z.object({ session: sessionField }),
  async run({ session: named }, { api }) {
    const session = await findSession(api, named);
    if (isRefusal(session)) return session;
    const job = await findNewestJob(api, session);
    if (isRefusal(job)) return job;
    if (job === null) return { text: "The session has no turn." };
    const jobId = job.id;
    const stopped = await api.call<{ message: string }>("cancelJob", { params: { ...toParams(session), jobId } });
    // A turn that is already over is what the caller wants.
    if (isRefusal(stopped) && stopped.code === "BAD_REQUEST") return { text: stopped.message };
    return isRefusal(stopped) ? stopped : { text: stopped.message };
  },
});

const openPullRequest = createTool({
  name: "open_pull_request",
  title: "Open a pull request",
  description:
    "Have the session's agent commit, push, and open the pull request, or update the open one. It takes a turn.",
  effect: "expose",
  input: z.object({
    session: sessionField,
    draft: z.boolean().default(false).describe("True for a draft."),
    reviewers: z
      .array(z.string().regex(/^[\w-]+$/))
      .max(20)
      .default([])
      .describe("Who is asked for a review, by their names at the code host."),
    notes: z.string().max(10_000).default("").describe("What the description is to say."),
  }),
  async run({ session: named, draft, reviewers, notes }, { api }) {
    const session = await findSession(api, named);
    if (isRefusal(session)) return session;
    const flags = [...(draft ? ["-d"] : []), ...(reviewers.length > 0 ? ["-r", reviewers.join(",")] : [])];
    // A word of the notes that begins with a dash is no flag.
    const text = notes === "" ? [] : ["--", notes];
    const content = [`${getInvocationCharacter(session.model)}svc:open-pr`, ...flags, ...text].join(" ");
    const sent = await api.call<Delivered>("sendMessage", { params: toParams(session), body: { content } });
    return isRefusal(sent) ? sent : { text: formatDelivery(sent), data: { ...sent } };
  },
});

const secondsMax = 50;

const wait = createTool({
  name: "wait_for_session",
  title: "Wait for a session",
  description:
    "Wait until the newest turn of a session is over or asks something, at most 50 seconds. `working` means: call it again.",
  effect: "read",
  input: z.object({
    session: sessionField,
    seconds: z.number().min(0).max(secondsMax).default(secondsMax).describe("How long to wait at most."),
    after_job: z.int().min(0).default(0).describe("The number of a turn; only a later one is waited for."),
  }),
  async run({ session: named, seconds, after_job: afterJob }, call) {
    const waited = await waitForSession(call, { named, seconds, afterJob });
    if (isRefusal(waited)) return waited;
    return waited.outcome === "working" ? toWorking(waited) : await toState(call.api, waited);
  },
});

function toWorking({ session, job }: Waited) {
  const turn = job === null ? "No later turn has started yet." : `Turn ${job.jobNumber} still runs.`;
  return { text: `${turn} Call wait_for_session again.`, data: { outcome: "working", session } };
}

const readJobHint = "The job of the API has all of it.";

/** The state of a session with the answer of its newest turn. */
async function toState(api: Api, { outcome, session, job }: Waited) {
  const read = await api.call<{ messages: MessageData[] }>("readMessages", {
    params: toParams(session),
    query: { limit: "30", outputs: "500" },
  });
  if (isRefusal(read)) return read;
  const questions = outcome === "asks" ? listQuestions(read.messages, job) : [];
  const lines = [
    `${outcome}${job?.error ? `: ${job.error}` : ""}`,
    formatSession({ ...session, latestChatJob: job }),
    ...(job?.usage?.costUsd ? [`cost of the turn: ${job.usage.costUsd.toFixed(4)} US dollars`] : []),
    ...(questions.length > 0
      ? [`The agent asks. Answer with answer_question.\n${questions.map(formatQuestion).join("\n")}`]
      : []),
  ];
  const answer = toShortText(findLastAnswer(read.messages, job), "read_messages reads the rest.");
  const result = job !== null && outcome === "done" ? await readResult(api, session, job.id) : null;
  if (isRefusal(result)) return result;
  if (result !== null) lines.push(`The result:\n${toQuoted(toShortText(JSON.stringify(result), readJobHint))}`);
  const said = answer === "" ? "" : `\n\n${toQuoted(answer)}`;
  return {
    text: lines.join("\n\n") + said,
    data: { outcome, session, job: job && { ...job, result }, questions, answer, result },
  };
}

/** The result of a job, which lists do not have. */
async function readResult(api: Api, session: SessionData, jobId: string): Promise<JobData["result"] | Refusal> {
  const read = await api.call<{ job: JobData }>("readJob", { params: { ...toParams(session), jobId } });
  return isRefusal(read) ? read : read.job.result;
}

const getSession = createTool({
  name: "get_session",
  title: "Read a session",
  description: "Read the state of a session: its newest turn, that turn's answer, what it asks, and its pull request.",
  effect: "read",
  input: z.object({ session: sessionField }),
  async run({ session: named }, call) {
    const waited = await waitForSession(call, { named, seconds: 0, afterJob: 0 });
    return isRefusal(waited) ? waited : await toState(call.api, waited);
  },
});

export const sessionTools = [startSession, sendMessage, answerQuestion, stopTurn, openPullRequest, wait, getSession];
