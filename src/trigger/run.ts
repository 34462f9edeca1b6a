// Runs a trigger that starts or files a session. What has a place gets one session: a later run
// sends to it, until it has ended. Each cause makes one run.
import { getSessionObject } from "../../durable-objects/address.ts";
import type { FirstMessage, StartResult } from "../../durable-objects/session/rpc.ts";
import { type Found, findFacts } from "../access/queries.ts";
import type { TriggerActor, TriggerSource } from "../access/rules/actor.ts";
import { createTextMessage } from "../chat/rules/message.ts";
import { isUnfinished } from "../chat/rules/turn.ts";
import type { Env } from "../env.ts";
import { createId, createName } from "../lib/ids.ts";
import { catalog } from "../model/catalog.ts";
import { canRun } from "../model/rules/choice.ts";
import type { Idempotency } from "../rules/idempotency.ts";
import { sandboxKeyCharacters } from "../rules/limits.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { createSandboxKey } from "../sandbox/rules/sandbox-key.ts";
import { findAssignee } from "../session/check-changes.ts";
import { getModelFacts, getStartFacts, getWorkFacts, workDetails } from "../session/facts.ts";
import type { Assignee, NewSession } from "../session/rules/session.ts";
import { getDayStart } from "../usage/rules/interval.ts";
import { sendSavedLater } from "../webhook/member-events.ts";
import { listLimitEvents } from "../webhook/rules/trigger-events.ts";
import {
  claimTriggerRun,
  deleteTriggerRun,
  endSkippedRun,
  endTriggerRun,
  type RunCaps,
  type TriggerRun,
} from "./queries/runs.ts";
import { claimPlace, findSessionOfPlace, releasePlace } from "./queries/triggers.ts";
import { formatMessage, getMark, type Quote } from "./rules/material.ts";
import type { Mention } from "./rules/mention.ts";
import { findRefusedReason, type SkipReason } from "./rules/outcome.ts";
import { findStep, getCauseName, type Plan } from "./rules/plan.ts";
import { createTriggerActor, getPrompt, type Trigger } from "./rules/trigger.ts";

/** What a route reads of the project before it runs a trigger. */
export const projectDetails = ["runningMsThisMonth", "workspaceSpend", "workspaceRecord"] as const;
type ProjectFacts = Found<"project", (typeof projectDetails)[number]>;

/** What happened, and the session that it gets. */
export interface TriggerEvent extends Plan {
  trigger: Trigger;
  found: ProjectFacts;
  source: TriggerSource;
  /** Its page. */
  url: string | null;
  /** The account of the member who asked for it; null if nobody did. */
  login: string | null;
  /** The id of that member. */
  askedBy: string | null;
  /** The session that owns the pull request. */
  ownerId?: string | null;
  /** Where a new session starts; the project's Target Branch if it is missing. */
  targetBranch?: string;
  /** Why it does nothing. */
  skip?: SkipReason | null;
  /** What a comment asks for; missing for anything else. */
  asked?: CommentRequest;
}

/** What is special about a comment that asks for something. */
export interface CommentRequest {
  /** The text before the quotes; null if the comment only has words of the service. */
  prompt: string | null;
  words: Mention["words"];
  /** An account that may ask only so often: the end of its causes, and its runs in 24 hours. */
  perAccount: { causeEnd: string; perDay: number } | null;
  /** Where a new session starts, and what else its first message quotes; or why none starts. */
  findStart(): Promise<Start | SkipReason>;
}

export interface Start {
  targetBranch: string;
  quotes: Quote[];
}

type End = Pick<TriggerRun, "outcome" | "reason" | "sessionId">;

/**
 * Runs a trigger once for its cause, and returns the run. A repeat gets the first run, as skipped.
 * A run that has not ended is continued by a repeat after `graceMs`: the first call has broken off.
 * A refusal is of something that passes; then no run is left, and the call may be repeated.
 */
export async function runTrigger(
  env: Env,
  happened: TriggerEvent,
  { now, graceMs }: { now: number; graceMs: number },
): Promise<TriggerRun | Refusal> {
  const { trigger, found, cause, place, url } = happened;
  const id = createId(now);
  const of = { projectId: found.project.id, triggerId: trigger.id, triggerName: trigger.name };
  // A run without a place keeps its session's id, so that a repeat does not start another one.
  const started = { sessionId: place === null ? createId(now) : "", url, createdAt: now };
  // What is skipped anyway never counts toward a cap, and has its own reason beyond one.
  const claimed = { id, ...of, ...started, cause: getCauseName(cause, id), reason: happened.skip ?? null };
  const run = await claimTriggerRun(env.DB, claimed, getCaps(happened, now));
  const asRepeat = { outcome: "skipped", reason: "duplicate" } as const;
  if (run.id !== id && (run.outcome !== null || run.createdAt > now - graceMs)) return { ...run, ...asRepeat };
  const reason = run.reason ?? happened.skip ?? null;
  if (reason !== null) return await skip(env, happened, run, { reason, sessionId: "" });
  const end = await perform(env, happened, { ...run, isContinued: run.id !== id }, now);
  if (isRefusal(end)) {
    await deleteTriggerRun(env.DB, run.id);
    return end;
  }
  if (end.outcome === "skipped") return await skip(env, happened, run, end);
  await endTriggerRun(env.DB, run.id, end);
  return { ...run, ...end, ...(run.id === id ? {} : asRepeat) };
}

/** How often the trigger runs for it, and what its sessions may cost. */
export function getCaps({ trigger: { caps }, found, asked }: TriggerEvent, now: number): RunCaps {
  const { perDay, perDayUsd } = caps;
  const spend = perDayUsd === null ? null : { limitUsd: perDayUsd, since: getDay(found, now) };
  return { perDay, perAccount: asked?.perAccount ?? null, spend };
}

const getDay = ({ workspaceRecord }: ProjectFacts, at: number) => getDayStart(at, workspaceRecord.timezone);

/** Records that a run was skipped, and sends what webhooks get of it. */
async function skip(
  env: Env,
  { trigger, found, asked }: TriggerEvent,
  run: TriggerRun,
  { reason, sessionId }: Pick<TriggerRun, "reason" | "sessionId">,
): Promise<TriggerRun> {
  const day = getDay(found, run.createdAt);
  const place = { workspaceId: found.workspace.id, projectId: run.projectId, sessionId };
  // The claim refuses only what the trigger's own sessions have cost.
  const reachedUsd = run.reason === "cap_spend" ? trigger.caps.perDayUsd : null;
  const events = listLimitEvents(trigger, place, { reason, reachedUsd, day, at: run.createdAt });
  // A member reads why their comment did nothing. Others can write more comments than that.
  const isAsked = asked?.perAccount === null;
  const row = await endSkippedRun(env.DB, run, { reason, sessionId, isAsked, day, events });
  for (const { id } of events) sendSavedLater(env, id);
  return row;
}

/** Starts, files or sends. Returns a refusal of something that passes. */
async function perform(
  env: Env,
  happened: TriggerEvent,
  run: TriggerRun & { isContinued: boolean },
  now: number,
): Promise<End | Refusal> {
  const { place, ownerId = null } = happened;
  const message = createMessage(happened, run.id);
  const owner = await findOpenSession(env, run.projectId, ownerId);
  if (owner !== null) return await deliver(env, happened, owner, message);
  if (!isBeginning(happened)) {
    const open =
      place && (await findOpenSession(env, run.projectId, await findSessionOfPlace(env.DB, run.projectId, place)));
    return open
      ? await deliver(env, happened, open, message)
      : { outcome: "skipped", reason: "not_ours", sessionId: "" };
  }
  if (place === null) return await begin(env, happened, { ...message, sessionId: run.sessionId }, now);
  const claim = { projectId: run.projectId, place, newId: createId(now) };
  let sessionId = await claimPlace(env.DB, { ...claim, ended: null }, now);
  const known = await findSession(env, run.projectId, sessionId);
  const isOpen = known !== null && findStep(known.session.status) !== "begin";
  // What broke off may have created the session with this message. Then it is not sent again.
  if (isOpen && !run.isContinued) return await deliver(env, happened, known, message);
  if (known !== null && !isOpen) sessionId = await claimPlace(env.DB, { ...claim, ended: sessionId }, now);
  const end = await begin(env, happened, { ...message, sessionId }, now);
  if (isRefusal(end) || end.sessionId === "") await releasePlace(env.DB, { ...claim, sessionId });
  return end;
}

/** True if a session starts or is filed where there is none. */
export function isBeginning({ trigger, asked }: TriggerEvent): boolean {
  return asked === undefined || (asked.prompt !== null && (asked.words.file || trigger.do.action !== "send"));
}

/** The text of the message. */
const format = ({ trigger, source, asked }: TriggerEvent, quotes: Quote[], runId: string) =>
  formatMessage(asked?.prompt ?? getPrompt(trigger), quotes, getMark(runId), source);

/** Does what the words of a comment ask of a session, then sends the rest to it. */
async function deliver(
  env: Env,
  { asked, trigger, cause }: TriggerEvent,
  known: SessionFacts,
  message: Message,
): Promise<End | Refusal> {
  const { id: sessionId } = known.session;
  const object = getSessionObject(env, sessionId);
  if (asked && asked.words.autofix !== null) {
    const refused = await object.handleEvent({ type: "autofix", isOff: !asked.words.autofix });
    if (refused) return toEnd(refused, sessionId);
  }
  if (asked?.words.stop) {
    const state = await object.read();
    if (isRefusal(state)) return toEnd(state, sessionId);
    const { turn } = state.chat;
    // A delivery that is repeated must not stop the turn of a later message.
    const repeat = toRepeat(`${trigger.id} ${getCauseName(cause, message.runId)}`, "stop");
    const meant = await object.saveResult(repeat, turn?.id ?? "");
    // The turn may have ended meanwhile, which is what the comment asks for.
    if (isUnfinished(turn) && turn.id === meant) await object.cancel(turn.id, message.by);
  }
  if (asked?.prompt === null) return { outcome: "sent", reason: null, sessionId };
  return await send(env, known, message);
}

const isResuming = (trigger: Trigger) => trigger.do.underReview === "resume";

interface Message {
  by: TriggerActor;
  content: string;
  runId: string;
  /** The model that the comment names, else the trigger's; null without one. */
  model: string | null;
}

const toRepeat = (runId: string, step: string): Idempotency => ({ key: `trigger ${runId} ${step}`, bodyHash: runId });
const sendDefaults = { runningTurnId: null, retriedTurnId: null, seen: null };

/** The message of a run, and its sender. */
export function createMessage(happened: TriggerEvent, runId: string): Message {
  const { trigger, source, url, login, askedBy, quotes, asked } = happened;
  const resumesReview = login !== null || isResuming(trigger);
  const by = createTriggerActor(trigger, { source, url, login, askedBy, resumesReview });
  return { by, content: format(happened, quotes, runId), runId, model: asked?.words.model ?? trigger.do.model };
}

/** Creates the session. If another run has created it meanwhile, sends to it. */
async function begin(
  env: Env,
  happened: TriggerEvent,
  message: Message & { sessionId: string },
  now: number,
): Promise<End | Refusal> {
  const { by, runId, sessionId } = message;
  const start = await createStart(env, happened, message, now);
  if (typeof start === "string") return { outcome: "skipped", reason: start, sessionId: "" };
  const { session, first, content } = start;
  const started = await getSessionObject(env, sessionId).create(session, { by, first }, toRepeat(runId, "start"));
  if (isRefusal(started)) return toEnd(started, "");
  if (isOurs(started, content)) return { outcome: first === null ? "filed" : "started", reason: null, sessionId };
  const known = await findSession(env, session.projectId, sessionId);
  return known === null
    ? { outcome: "skipped", reason: "ended", sessionId: "" }
    : await deliver(env, happened, known, message);
}

/**
 * The new session, and its first message, which one in the Backlog does not get; or why none
 * starts. Throws if the code host has to be asked again.
 */
export async function createStart(
  env: Env,
  happened: TriggerEvent,
  message: Message & { sessionId: string },
  now: number,
): Promise<{ session: NewSession; first: FirstMessage | null; content: string } | SkipReason> {
  const { trigger, found, title, login, quotes, asked, targetBranch = found.project.targetBranch } = happened;
  const { by, runId, sessionId, model } = message;
  const { workspace, project } = found;
  const at = asked ? await asked.findStart() : { targetBranch, quotes: [] };
  if (typeof at === "string") return at;
  const content = at.quotes.length === 0 ? message.content : format(happened, [...quotes, ...at.quotes], runId);
  const isFiled = trigger.do.action === "file" || asked?.words.file === true;
  const models = getModelFacts(workspace, { assignee: null, filedBy: null }, by, []);
  if (model !== null && !canRun(model, { ...models, catalog })) return "no_credentials";
  const session: NewSession = {
    ...{ id: sessionId, workspaceId: workspace.id, projectId: project.id, title, priority: trigger.do.priority },
    assignee: await findNewAssignee(env, happened),
    ...(isFiled ? { status: "backlog", prompt: content } : { status: "active", prompt: null }),
    // The workspace's default is refused if it cannot be run, and not replaced.
    model: model ?? (isFiled ? null : workspace.defaultModel),
    targetBranch: at.targetBranch,
    sandboxKey: createSandboxKey("session", createName(sandboxKeyCharacters)),
    conversationId: createId(now),
    // What no person asked for is as deep as what an agent files.
    filedDepth: login === null ? 1 : 0,
  };
  const body = createTextMessage(content);
  const first = { request: { ...sendDefaults, model: null, body }, facts: getStartFacts(found, models) };
  return { session, first: isFiled ? null : first, content };
}

/** The Assignee of a new session. The workspace pays for what the trigger sends nevertheless. */
async function findNewAssignee(env: Env, { trigger, found, askedBy }: TriggerEvent): Promise<Assignee | null> {
  const { assignee } = trigger.do;
  if (assignee !== "author") return assignee && { kind: assignee };
  const member = await findAssignee(env, found.workspace.id, askedBy);
  return member === undefined || isRefusal(member) ? null : member;
}

/** True for a session that this message has created. */
const isOurs = ({ session, delivery }: StartResult, content: string) =>
  delivery !== null || (session.session.status === "backlog" && session.session.prompt === content);

/** Sends to the session of the place. One in the Backlog already waits for a person. */
async function send(env: Env, known: SessionFacts, message: Message): Promise<End | Refusal> {
  const { id: sessionId, status } = known.session;
  if (findStep(status) === "backlog") return { outcome: "skipped", reason: "backlog", sessionId };
  const { request, facts } = createSend(known, message);
  const sent = await getSessionObject(env, sessionId).send(request, facts, toRepeat(message.runId, "send"));
  return isRefusal(sent) ? toEnd(sent, sessionId) : { outcome: "sent", reason: null, sessionId };
}

/** The send of a message to a session. */
export function createSend(known: SessionFacts, { by, content, model }: Message) {
  const request = { ...sendDefaults, model, by, body: createTextMessage(content) };
  return { request, facts: getWorkFacts(known, by) };
}

type SessionFacts = Found<"session", (typeof workDetails)[number]>;

const findSession = (env: Env, projectId: string, sessionId: string): Promise<SessionFacts | null> =>
  findFacts(env.DB, { noun: "session", with: workDetails, params: { projectId, sessionId } });

/** A session that has not ended, with the facts of a send; null without one. */
export async function findOpenSession(
  env: Env,
  projectId: string,
  sessionId: string | null,
): Promise<SessionFacts | null> {
  const known = sessionId === null ? null : await findSession(env, projectId, sessionId);
  return known !== null && findStep(known.session.status) !== "begin" ? known : null;
}

function toEnd(refusal: Refusal, sessionId: string): End | Refusal {
  const reason: SkipReason | null = findRefusedReason(refusal);
  return reason === null ? refusal : { outcome: "skipped", reason, sessionId };
}
