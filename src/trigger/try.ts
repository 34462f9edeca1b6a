// Tries the triggers of a project with an event: what each of them would do. Nothing is sent,
// started or recorded.
import * as z from "zod";
import { getSessionObject } from "../../durable-objects/address.ts";
import type { Found } from "../access/queries.ts";
import { createCodeHost } from "../code-host/code-host.ts";
import type { Webhook, WebhookRepository } from "../code-host/rules/webhook.ts";
import { createWebhookReader, listWebhooks } from "../code-host/webhook.ts";
import type { Env } from "../env.ts";
import { createId } from "../lib/ids.ts";
import { catalog } from "../model/catalog.ts";
import { findProject, type Project } from "../project/queries.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { findSessionOfPullRequest, listSessionsOnBranches } from "../session/queries/of-branch.ts";
import { handleCodeHostEvent } from "../session/rules/pull-request/code-host-event.ts";
import { send } from "../session/rules/send.ts";
import { startSession } from "../session/rules/start.ts";
import { readAsker } from "./asker.ts";
import { listOwnNames } from "./label.ts";
import { createMentionReads, findMention, findTriggerEvent, isSentAsMention } from "./mention.ts";
import type { Matching } from "./projects.ts";
import { createPathFilter, getOwnBranch } from "./pull-request.ts";
import { findRunBar } from "./queries/runs.ts";
import { findSessionOfPlace, findTriggers } from "./queries/triggers.ts";
import { isForChecks, isForIssue, isForMention, isForPullRequest, isForReview } from "./rules/match.ts";
import { findRefusedReason, findReviewSkipReason, findSkipReason, type SkipReason } from "./rules/outcome.ts";
import {
  createChecksCause,
  createLabelPlan,
  createPullRequestPlan,
  createRequestPlan,
  createReviewCause,
  findStep,
  getCauseName,
} from "./rules/plan.ts";
import { createMatch, createMismatch, findCheckNames, findMismatch, type Trial } from "./rules/trial.ts";
import type { Trigger } from "./rules/trigger.ts";
import {
  createMessage,
  createSend,
  createStart,
  findOpenSession,
  getCaps,
  isBeginning,
  type projectDetails,
  type TriggerEvent,
} from "./run.ts";

type ProjectFacts = Found<"project", (typeof projectDetails)[number]>;

/** The delivery of an event that nobody has delivered. */
const delivery = "…";

interface Tried extends Matching {
  env: Env;
  project: Project;
  now: number;
}

/** With the filter for the files of the pull request; null if there is none. */
type TriedAt = Tried & { hasPaths: ReturnType<typeof createPathFilter> | null };

/** The member who caused an event. */
type Cause = Pick<TriggerEvent, "login" | "askedBy">;
const nobody: Cause = { login: null, askedBy: null };

/** What each trigger of the project would do. `http` is a request, other events the code host's. */
export async function findTrials(
  env: Env,
  { found, event, payload, now }: { found: ProjectFacts; event: string; payload: unknown; now: number },
): Promise<Trial[] | Refusal> {
  const project = await findProject(env.DB, found.project.id);
  if (!project) return refuse("NOT_FOUND");
  const { triggers } = await findTriggers(env.DB, project.id);
  const host = createCodeHost(env, project);
  const tried = { env, found, project, now, triggers, host, repository: project.repository };
  if (event === "http") return await Promise.all(triggers.map((trigger) => tryRequest(tried, trigger, payload)));
  const webhooks = readWebhooks(event, payload);
  if (isRefusal(webhooks)) return webhooks;
  const tries = await Promise.all(webhooks.map((webhook) => tryWebhook(tried, webhook)));
  return triggers.map((trigger, place) => {
    const trials = tries.flatMap((list) => list[place] ?? []);
    const ignored = createMismatch(trigger, trigger.enabled ? "ignored" : "disabled");
    return trials.find(({ reason }) => reason !== "other_event") ?? trials[0] ?? ignored;
  });
}

function readWebhooks(event: string, payload: unknown): Webhook[] | Refusal {
  const reader = createWebhookReader(event);
  reader?.read(new TextEncoder().encode(JSON.stringify(payload)));
  try {
    return reader ? listWebhooks(reader) : [];
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues;
    return refuseField(["payload", ...(issue?.path ?? [])].join("."), "is not what GitHub sends with this event");
  }
}

async function tryRequest(tried: Tried, trigger: Trigger, json: unknown): Promise<Trial> {
  const mismatch = findMismatch(trigger, "http", () => true);
  if (mismatch) return createMismatch(trigger, mismatch);
  const plan = createRequestPlan(trigger, { json, webhookId: null });
  if (isRefusal(plan)) return createMismatch(trigger, "invalid_body");
  if (plan.skip === "filters") return createMismatch(trigger, plan.skip);
  const { found } = tried;
  return await tryEvent(tried, { ...plan, ...nobody, trigger, found, source: "http", url: null });
}

async function tryWebhook(tried: Tried, webhook: Webhook): Promise<Trial[]> {
  const { env, triggers, found, project, host, repository } = tried;
  if (!isOf(project, webhook.repository))
    return triggers.map((trigger) => createMismatch(trigger, trigger.enabled ? "other_repository" : "disabled"));
  if (webhook.type === "commented") return await tryMention(tried, webhook);
  const sender = findSender(webhook);
  const place = { workspaceId: found.workspace.id, host, repository };
  const asker = sender && (await readAsker(env, place, { ...sender, isBot: false }));
  const member = sender && asker?.kind === "member" ? { login: sender.login, askedBy: asker.userId } : null;
  const hasPaths =
    webhook.type === "proposed" ? createPathFilter({ host, repository, number: webhook.pull.number }) : null;
  return await Promise.all(
    triggers.map(async (trigger) => {
      const trial = await tryOne({ ...tried, hasPaths }, trigger, webhook, member ?? nobody);
      return trial.matches && sender && !member ? createMismatch(trigger, "not_a_member") : trial;
    }),
  );
}

/** A person who writes a payload knows the name of the repository, and not its id. */
const isOf = (project: Project, { repository, repositoryId }: WebhookRepository) =>
  project.repositoryId === repositoryId || project.repository.toLowerCase() === repository.toLowerCase();

/** The account that asks; null for an event that nobody has to be allowed to cause. */
function findSender(webhook: Webhook): { hostUserId: string; login: string } | null {
  if (webhook.type === "labeled") return webhook.issue.by;
  if (webhook.type === "proposed") return webhook.pull.by;
  return webhook.type === "report" && webhook.event.type === "review" ? webhook.event.by : null;
}

async function tryMention(tried: Tried, commented: Extract<Webhook, { type: "commented" }>): Promise<Trial[]> {
  const { env, triggers } = tried;
  const isMatching = (trigger: Trigger) => isForMention(trigger, commented.comment);
  const mentioned = triggers.some(isMatching) ? await findMention(env, commented) : null;
  const reads = mentioned && createMentionReads(env, tried, mentioned);
  return await Promise.all(
    triggers.map(async (trigger) => {
      const mismatch = findMismatch(trigger, "mention", isMatching);
      if (mismatch) return createMismatch(trigger, mismatch);
      if (mentioned === null || reads === null) return createMismatch(trigger, "ignored");
      const happened = await findTriggerEvent(tried, mentioned, reads, trigger);
      return happened === null ? createMismatch(trigger, "not_a_member") : await tryEvent(tried, happened);
    }),
  );
}

async function tryOne(tried: TriedAt, trigger: Trigger, webhook: Webhook, by: Cause): Promise<Trial> {
  if (webhook.type === "labeled") {
    const { issue, repository } = webhook;
    const on = issue.assignee === undefined ? "label" : "assigned";
    const ownNames = await listOwnNames(tried.env, issue);
    const mismatch = findMismatch(trigger, on, (one) => isForIssue(one, issue, ownNames));
    if (mismatch) return createMismatch(trigger, mismatch);
    const plan = createLabelPlan(trigger, { issue, repositoryId: repository.repositoryId, delivery });
    const { found } = tried;
    return await tryEvent(tried, { ...plan, ...by, trigger, found, source: "github", url: issue.url });
  }
  if (webhook.type === "proposed") return await tryProposed(tried, trigger, webhook, by);
  if (webhook.type === "report" || webhook.type === "check-of-branch") return await tryReport(tried, trigger, webhook);
  return createMismatch(trigger, trigger.enabled ? "other_event" : "disabled");
}

async function tryProposed(
  tried: TriedAt,
  trigger: Trigger,
  { repository, pull }: Extract<Webhook, { type: "proposed" }>,
  by: Cause,
): Promise<Trial> {
  const { env, found, project, hasPaths } = tried;
  const on = pull.label === null ? "pull_request" : "label";
  const mismatch = findMismatch(trigger, on, (one) => isForPullRequest(one, pull));
  if (mismatch) return createMismatch(trigger, mismatch);
  if (hasPaths !== null && !(await hasPaths(trigger))) return createMismatch(trigger, "filters");
  const ownerId = await findSessionOfPullRequest(env.DB, project.id, getOwnBranch(pull));
  const plan = createPullRequestPlan(trigger, { pull, repositoryId: repository.repositoryId, delivery, ownerId });
  return await tryEvent(tried, { ...plan, ...by, ownerId, trigger, found, source: "github", url: pull.url });
}

/** A check or a review of a session's pull request. */
async function tryReport(
  { env, project, now, triggers }: Tried,
  trigger: Trigger,
  webhook: Extract<Webhook, { type: "report" | "check-of-branch" }>,
): Promise<Trial> {
  const { event } = webhook;
  const branches = webhook.type === "report" ? webhook.branches : [webhook.branch];
  const on = event.type === "check" ? "checks_failed" : event.type === "review" ? "review" : null;
  const mismatch = findMismatch(trigger, on, (one) =>
    branches.some((branch) =>
      event.type === "check"
        ? isForChecks(one, branch, findCheckNames(event))
        : event.type === "review" && isForReview(one, branch, event),
    ),
  );
  if (mismatch) return createMismatch(trigger, mismatch);
  if (event.type === "check" && !event.hasFailed) return createMismatch(trigger, "ignored");
  if (event.type === "review" && (await isSentAsMention(env, triggers, event)))
    return createMismatch(trigger, "ignored");
  for (const sessionId of await listSessionsOnBranches(env.DB, webhook.repository, branches)) {
    const state = await getSessionObject(env, sessionId).read();
    if (isRefusal(state) || state.session.projectId !== project.id) continue;
    const decision = handleCodeHostEvent(state, event, now);
    const wanted = event.type === "check" ? "read-checks" : "run-review-triggers";
    if (isRefusal(decision) || !decision.effects.some(({ type }) => type === wanted)) continue;
    const reason =
      event.type === "check"
        ? findSkipReason(state.session, trigger, { isOurs: true, failed: findCheckNames(event) ?? [] })
        : findReviewSkipReason(state.session);
    const cause =
      event.type === "review" ? createReviewCause(sessionId, event.reviewId) : createChecksCause(sessionId, event.sha);
    const bar = await findRunBar(env.DB, { triggerId: trigger.id, cause, caps: trigger.caps, now });
    return createMatch(trigger, { action: "send", reason: bar ?? reason, place: null, cause, sessionId });
  }
  return createMismatch(trigger, "not_ours");
}

/** A message to the session of a place, or a new session, by the rules of the session's object. */
async function tryEvent({ env, project, now }: Tried, happened: TriggerEvent): Promise<Trial> {
  const { trigger, cause, place, ownerId = null, skip = null } = happened;
  const caps = getCaps(happened, now);
  const found = await findRunBar(env.DB, { triggerId: trigger.id, cause: getCauseName(cause, ""), caps, now });
  // A run that is skipped anyway has its own reason, whatever the caps say.
  const bar = skip === null || found === "duplicate" ? found : null;
  const known =
    (await findOpenSession(env, project.id, ownerId)) ??
    (await findOpenSession(env, project.id, place && (await findSessionOfPlace(env.DB, project.id, place))));
  const match = (action: Trial["action"], refusal: Refusal | SkipReason | null) => {
    const reason = bar ?? (isRefusal(refusal) ? (findRefusedReason(refusal) ?? "refused") : refusal);
    return createMatch(trigger, { action, reason, place, cause, sessionId: known?.session.id ?? null });
  };
  if (skip !== null) return match(trigger.do.action, skip);
  const message = { ...createMessage(happened, ""), sessionId: createId(now) };
  if (known !== null) {
    // Words of the service need no message.
    if (happened.asked?.prompt === null) return match("send", null);
    if (findStep(known.session.status) === "backlog") return match("send", "backlog");
    const state = await getSessionObject(env, known.session.id).read();
    if (isRefusal(state)) return match("send", state);
    const { request, facts } = createSend(known, message);
    const sent = send(state, { ...request, ...ids }, { ...facts, ...unknown }, now);
    return match("send", isRefusal(sent) ? sent : null);
  }
  if (!isBeginning(happened)) return match(trigger.do.action, "not_ours");
  const start = await createStart(env, happened, message, now);
  if (typeof start === "string") return match(trigger.do.action, start);
  const { session, first } = start;
  const { by } = message;
  const started = startSession(
    session,
    { by, first: first && { command: { ...first.request, ...ids, by }, facts: { ...first.facts, ...unknown } } },
    now,
  );
  return match(first === null ? "file" : "start", isRefusal(started) ? started : null);
}

const ids = { messageId: "", turnId: "" };
/** What only the session's object knows. */
const unknown = { catalog, sessionNanoUsd: 0, acquired: null, runningTurnWasStopped: false };
