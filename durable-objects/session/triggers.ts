// Runs the project's triggers for what happened to the session's pull request. Each cause makes one
// run of a trigger, however often it is reported.

import { findFacts } from "../../src/access/queries.ts";
import { service } from "../../src/access/rules/actor.ts";
import { noContext } from "../../src/chat/rules/message.ts";
import {
  type CheckFailure,
  type CodeHost,
  createCodeHost,
  type ReviewLineComment,
} from "../../src/code-host/code-host.ts";
import { findOrThrow } from "../../src/code-host/temporary-failure.ts";
import { createId, createPartId } from "../../src/lib/ids.ts";
import { findProject } from "../../src/project/queries.ts";
import { decided } from "../../src/rules/decision.ts";
import { triggerReviewComments } from "../../src/rules/limits.ts";
import { WaitingError } from "../../src/rules/parking.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { getWorkFacts, workDetails } from "../../src/session/facts.ts";
import { recordAnswers } from "../../src/session/rules/automatic.ts";
import { isOwnHead } from "../../src/session/rules/branch.ts";
import { isOpenPullRequest } from "../../src/session/rules/pull-request/pull-request.ts";
import type { ReviewEvent } from "../../src/session/rules/pull-request/review-event.ts";
import type { Session } from "../../src/session/rules/session.ts";
import { readAsker } from "../../src/trigger/asker.ts";
import { isSentAsMention } from "../../src/trigger/mention.ts";
import { runEach } from "../../src/trigger/projects.ts";
import { claimOffRun, claimTriggerRun, endTriggerRun, type TriggerRun } from "../../src/trigger/queries/runs.ts";
import { listStatusComments, saveStatusComment } from "../../src/trigger/queries/status-comments.ts";
import { findTriggers } from "../../src/trigger/queries/triggers.ts";
import { createSenderKey } from "../../src/trigger/rules/answer.ts";
import { isForChecks, isForReview } from "../../src/trigger/rules/match.ts";
import { formatMessage, getMark, toVisibleMarkdown } from "../../src/trigger/rules/material.ts";
import {
  findRefusedReason,
  findReviewSkipReason,
  findSkipReason,
  isWaiting,
  type SkipReason,
} from "../../src/trigger/rules/outcome.ts";
import { createChecksCause, createHostPlace, createReviewCause } from "../../src/trigger/rules/plan.ts";
import { createTriggerActor, getPrompt, type Trigger } from "../../src/trigger/rules/trigger.ts";
import { getDayStart } from "../../src/usage/rules/interval.ts";
import { isLimit, listLimitEvents } from "../../src/webhook/rules/trigger-events.ts";
import { handleComments } from "./comments.ts";
import type { SessionContext } from "./context.ts";
import { sendMessage } from "./send.ts";

/**
 * Runs the triggers for a commit whose checks failed. One that was skipped for this commit runs
 * again: another check may have failed since. Throws if it has to be repeated.
 */
export function runTriggers(context: SessionContext, sha: string): Promise<void> {
  return runForChecks(context, sha, (database, run, caps) => claimTriggerRun(database, run, caps, true));
}

/**
 * Runs the triggers again that were skipped as `off` for a commit whose checks failed. Throws if it
 * has to be repeated.
 */
export async function runTriggersAgain(context: SessionContext, sha: string): Promise<void> {
  // It may be about to skip them.
  await context.shell.settled({ type: "run-triggers", id: sha });
  await runForChecks(context, sha, claimOffRun);
}

async function runForChecks(context: SessionContext, sha: string, claim: TriggeredSend["claim"]): Promise<void> {
  const { env, store, branchHeads } = context;
  const { session } = store.find() ?? {};
  if (!session || !isFailing(session, sha)) return;
  const { triggers } = await findTriggers(env.DB, session.projectId);
  if (!triggers.some(({ enabled, on }) => enabled && on === "checks_failed")) return;
  const project = await findProject(env.DB, session.projectId);
  if (!project) return;
  const host = createCodeHost(env, project);
  const failures = (await findOrThrow(host.listFailedChecks(project.repository, sha))) ?? [];
  const names = failures.map(({ name }) => name);
  const matching = triggers.filter((trigger) => isForChecks(trigger, session.branch ?? "", names));
  if (failures.length === 0 || matching.length === 0) return;
  const ofBase = await listNamesFailingOnBase(host, project.repository, session);
  const ours = failures.filter(({ name }) => !ofBase.includes(name));
  const facts = { isOurs: isOwnHead(branchHeads.read(null), sha), failed: ours.map(({ name }) => name) };
  await runEach(matching, async (trigger) => {
    const resumes = trigger.do.underReview === "resume";
    await runTrigger(context, trigger, {
      claim,
      cause: createChecksCause(session.id, sha),
      url: session.prUrl,
      login: null,
      askedBy: null,
      resumes,
      findSkip: (current) => findSkipReason(current, trigger, facts),
      prompt: `${getPrompt(trigger)}\n\nThe commit is ${sha}.`,
      quotes: ours.map((failure) => ({ title: getTitle(failure), text: failure.text })),
      reviewComments: { comments: [], runId: null },
    });
  });
}

/** Runs the triggers for a review by a member. Throws if it has to be repeated. */
export async function runReviewTriggers(context: SessionContext, review: ReviewEvent): Promise<void> {
  const { env, store } = context;
  const { session } = store.find() ?? {};
  if (!session) return;
  const { triggers } = await findTriggers(env.DB, session.projectId);
  const matching = triggers.filter((trigger) => isForReview(trigger, session.branch ?? "", review));
  if (matching.length === 0) return;
  if (await isSentAsMention(env, triggers, review)) return;
  const project = await findProject(env.DB, session.projectId);
  if (!project) return;
  const host = createCodeHost(env, project);
  // Nobody else gets an answer, or learns from one that the repository has triggers.
  const place = { workspaceId: session.workspaceId, host, repository: project.repository };
  const asker = await readAsker(env, place, { ...review.by, isBot: false });
  if (asker?.kind !== "member") return;
  const { number, reviewId, body, url, by } = review;
  const found = await findOrThrow(host.listReviewComments(project.repository, number, reviewId));
  const comments = (found ?? []).slice(0, triggerReviewComments);
  if (body.trim() === "" && comments.length === 0) return;
  const reviewComments = { comments, runId: null };
  await runEach(matching, async (trigger) => {
    await runTrigger(context, trigger, {
      claim: claimTriggerRun,
      cause: createReviewCause(session.id, reviewId),
      url,
      login: by.login,
      askedBy: asker.userId,
      resumes: true,
      findSkip: findReviewSkipReason,
      prompt: getPrompt(trigger),
      reviewComments,
      quotes:
        body.trim() === "" ? [] : [{ title: `${by.login} reviewed the pull request:`, text: toVisibleMarkdown(body) }],
    });
  });
}

const isFailing = ({ prReport, prState }: Session, sha: string) =>
  prReport?.sha === sha && prReport.verdict === "failed" && isOpenPullRequest(prState);

async function listNamesFailingOnBase(host: CodeHost, repository: string, session: Session): Promise<string[]> {
  return (await findOrThrow(host.readChecks(repository, session.prBase ?? session.targetBranch)))?.failed ?? [];
}

const getTitle = ({ name, conclusion, url }: CheckFailure) =>
  `The check “${name}” ended with ${conclusion}${url === null ? "" : ` (${url})`}:`;

/** A message that a trigger sends, and the cause of its run. */
interface TriggeredSend {
  /** Claims the run; null if there is none for this cause. */
  claim(...run: Parameters<typeof claimTriggerRun>): Promise<TriggerRun | null>;
  /** Identical for all reports of one event. */
  cause: string;
  /** The page of the event. */
  url: string | null;
  /** The account of the member who asked for it; null if nobody did. */
  login: string | null;
  /** The id of that member. */
  askedBy: string | null;
  resumes: boolean;
  findSkip(session: Session): SkipReason | null;
  prompt: string;
  quotes: { title: string; text: string }[];
  /**
   * They become review comments of the session, once for all triggers: their ids are made from that
   * of the first run.
   */
  reviewComments: { comments: readonly ReviewLineComment[]; runId: string | null };
}

async function runTrigger(context: SessionContext, trigger: Trigger, wanted: TriggeredSend): Promise<void> {
  const { env, store } = context;
  const { session } = store.find() ?? {};
  if (!session) return;
  const { cause, url } = wanted;
  const now = Date.now();
  const of = { triggerId: trigger.id, triggerName: trigger.name, projectId: session.projectId, sessionId: session.id };
  const run = { id: createId(now), ...of, cause, url, createdAt: now };
  const skip = wanted.findSkip(session);
  // No cap hides why nothing is sent. What a limit of the session needs is done after the claim.
  const claimed = await wanted.claim(env.DB, { ...run, reason: isLimit(skip) ? null : skip }, trigger.caps);
  if (!claimed) return;
  wanted.reviewComments.runId ??= claimed.id;
  // A repeat may have missed what webhooks get of a run that has ended.
  if (claimed.outcome !== null) return await sendLimited(context, trigger, claimed);
  const reason = wanted.findSkip(store.find()?.session ?? session) ?? (await send(context, trigger, wanted, claimed));
  if (reason === "cap_attempts") await askPerson(context, session, trigger);
  await endTriggerRun(env.DB, claimed.id, { outcome: reason === null ? "sent" : "skipped", reason });
  await sendLimited(context, trigger, { ...claimed, reason });
}

/** Sends webhooks that a limit stopped the run. Safe to repeat. */
async function sendLimited(context: SessionContext, trigger: Trigger, run: TriggerRun): Promise<void> {
  const { projectId, sessionId, reason, createdAt: at } = run;
  if (!isLimit(reason)) return;
  const found = await findFacts(context.env.DB, { noun: "project", with: ["workspaceRecord"], params: { projectId } });
  if (!found) return;
  const { workspace, workspaceRecord } = found;
  const day = getDayStart(at, workspaceRecord.timezone);
  const place = { workspaceId: workspace.id, projectId, sessionId };
  await context.sendToWebhooks(workspace.id, () =>
    listLimitEvents(trigger, place, { reason, reachedUsd: null, day, at }),
  );
}

/**
 * Has the comments of the session ask a person, if the trigger writes comments. Without one, the
 * pull request gets one. A repeat changes nothing.
 */
async function askPerson(
  { env: { DB }, decide }: SessionContext,
  session: Session,
  { id: triggerId, answer: content }: Trigger,
): Promise<void> {
  const { id: sessionId, projectId, prNumber: number } = session;
  if (content === "none" || number === null) return;
  const project = await findProject(DB, projectId);
  if (!project?.repositoryId) return;
  const place = createHostPlace("pull_request", project.repositoryId, number);
  const sender = createSenderKey({ triggerId, url: session.prUrl });
  if ((await listStatusComments(DB, sessionId)).length === 0)
    await saveStatusComment(DB, { projectId, ...place, sessionId, content, sender, isShared: false }, false);
  decide(service, (state) => decided(recordAnswers(state, { isUsedUp: true }), null));
}

/**
 * Sends the message of a run once. Returns why it was not sent; null if it was. Throws if it has to
 * be sent later.
 */
async function send(
  context: SessionContext,
  trigger: Trigger,
  { url, login, askedBy, resumes, prompt, quotes, reviewComments }: TriggeredSend,
  { id: runId, createdAt }: TriggerRun,
): Promise<SkipReason | null> {
  const { env, store } = context;
  const { session } = store.find() ?? {};
  if (!session) return "ended";
  const by = createTriggerActor(trigger, { source: "github", url, login, askedBy, resumesReview: resumes });
  const params = { projectId: session.projectId, sessionId: session.id };
  const found = await findFacts(env.DB, { noun: "session", with: workDetails, params });
  if (found === null) return "ended";
  const orLater = (refusal: Refusal, waits = isWaiting(refusal)) => {
    const reason = findRefusedReason(refusal, Date.now() - createdAt);
    if (reason === null) throw waits ? new WaitingError(refusal.message) : new Error(refusal.message);
    return reason;
  };
  if (found.workspace.suspendedAt !== null)
    return orLater(refuse("SERVICE_UNAVAILABLE", "The workspace is suspended."), true);
  const reviewCommentIds = reviewComments.comments.flatMap(({ path, side, startLine, endLine, body }, place) => {
    // A repeated run has the same ids, and they sort as the review has its comments.
    const lines = { filePath: path, side, startLineNumber: startLine, endLineNumber: endLine, lineSnapshot: "" };
    const text = { ...lines, body: toVisibleMarkdown(body) };
    const added = handleComments(context, {
      type: "add",
      id: createPartId(reviewComments.runId ?? runId, place),
      text,
      by,
    });
    return isRefusal(added) ? [] : added.map(({ id }) => id);
  });
  const content = formatMessage(prompt, quotes, getMark(runId));
  const request = {
    by,
    body: { content, attachments: [], context: { ...noContext, reviewCommentIds } },
    model: trigger.do.model,
    retriedTurnId: null,
    runningTurnId: null,
    seen: null,
  };
  const repeat = { key: `trigger ${runId}`, bodyHash: runId };
  const sent = await sendMessage(context, request, getWorkFacts(found, by), repeat);
  return isRefusal(sent) ? orLater(sent) : null;
}
