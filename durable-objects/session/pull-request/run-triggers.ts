// Runs the project's triggers for failed checks of the session's pull request. Each cause makes one
// run of a trigger, however often it is reported.

import { findFacts } from "../../../src/access/queries.ts";
import type { TriggerActor } from "../../../src/access/rules/actor.ts";
import { noContext } from "../../../src/chat/rules/message.ts";
import { type CheckFailure, type CodeHost, createCodeHost } from "../../../src/code-host/code-host.ts";
import { createId } from "../../../src/lib/ids.ts";
import { findProject } from "../../../src/project/queries.ts";
import { isRefusal, type Refusal } from "../../../src/rules/refusal.ts";
import { getWorkFacts, workDetails } from "../../../src/session/facts.ts";
import { isOpenPullRequest } from "../../../src/session/rules/pull-request/pull-request.ts";
import type { Session } from "../../../src/session/rules/session.ts";
import { claimTriggerRun, endTriggerRun, findTriggers } from "../../../src/trigger/queries.ts";
import { formatMessage } from "../../../src/trigger/rules/material.ts";
import { findRefusedReason, findSkipReason, type SkipReason } from "../../../src/trigger/rules/outcome.ts";
import { getPrompt, isForChecks, type Trigger } from "../../../src/trigger/rules/trigger.ts";
import type { SessionContext } from "../context.ts";
import { sendMessage } from "../send.ts";

/** Runs the triggers for a commit whose checks failed. Throws if it has to be repeated. */
export async function runTriggers(context: SessionContext, sha: string): Promise<void> {
  const { env, store } = context;
  const { session } = store.find() ?? {};
  if (!session || !isFailing(session, sha)) return;
  const { triggers } = await findTriggers(env.DB, session.projectId);
  if (!triggers.some(({ enabled }) => enabled)) return;
  const project = await findProject(env.DB, session.projectId);
  if (!project) return;
  const host = createCodeHost(env, project);
  const failures = await answerOf(host.listFailedChecks(project.repository, sha));
  const names = failures.map(({ name }) => name);
  const matching = triggers.filter((trigger) => isForChecks(trigger, session.branch ?? "", names));
  if (matching.length === 0) return;
  const ofBase = await listNamesFailingOnBase(host, project.repository, session);
  for (const trigger of matching) {
    await runTrigger(context, trigger, { sha, failures: failures.filter(({ name }) => !ofBase.includes(name)) });
  }
}

const isFailing = ({ prReport, prState }: Session, sha: string) =>
  prReport?.sha === sha && prReport.verdict === "failed" && isOpenPullRequest(prState);

async function listNamesFailingOnBase(host: CodeHost, repository: string, session: Session): Promise<string[]> {
  const checks = await host.readChecks(repository, session.prBase ?? session.targetBranch);
  if (!isRefusal(checks)) return checks.failed;
  if (checks.code === "SERVICE_UNAVAILABLE") throw new Error(checks.message);
  return [];
}

async function answerOf<Answer>(call: Promise<Answer | Refusal>): Promise<Answer> {
  const answer = await call;
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}

interface FailedChecks {
  sha: string;
  failures: CheckFailure[];
}

async function runTrigger(context: SessionContext, trigger: Trigger, checks: FailedChecks): Promise<void> {
  const { env, store, branchHeads } = context;
  const { session } = store.find() ?? {};
  if (!session) return;
  const { id: triggerId, name: triggerName } = trigger;
  const now = Date.now();
  const about = { projectId: session.projectId, sessionId: session.id, url: session.prUrl };
  const cause = `checks ${session.id} ${checks.sha}`;
  const run = { id: createId(now), triggerId, triggerName, cause, createdAt: now, ...about };
  const claimed = await claimTriggerRun(env.DB, run, trigger.caps.perDay);
  if (claimed === null || claimed.outcome !== null) return;
  const facts = {
    isOurs: branchHeads.read(null).own.includes(checks.sha),
    failed: checks.failures.map(({ name }) => name),
  };
  const reason = findSkipReason(session, trigger, facts) ?? (await sendChecks(context, trigger, checks, claimed.id));
  await endTriggerRun(env.DB, claimed.id, { outcome: reason === null ? "sent" : "skipped", reason });
}

/** Sends the message of a run once. Returns why it was not sent; null if it was. */
async function sendChecks(
  context: SessionContext,
  trigger: Trigger,
  { sha, failures }: FailedChecks,
  runId: string,
): Promise<SkipReason | null> {
  const { env, store } = context;
  const { session } = store.find() ?? {};
  if (!session) return "ended";
  const { id: triggerId, name, caps, do: action } = trigger;
  const resumesReview = action.underReview === "resume";
  const by: TriggerActor = {
    ...{ type: "trigger", triggerId, name, url: session.prUrl },
    ...{ attemptsMax: caps.attempts, resumesReview },
  };
  const found = await findFacts(env.DB, {
    noun: "session",
    with: workDetails,
    params: { projectId: session.projectId, sessionId: session.id },
  });
  if (found === null) return "ended";
  if (found.workspace.suspendedAt !== null) throw new Error("the workspace is suspended");
  const quotes = failures.map((failure) => ({ title: getTitle(failure), text: failure.text }));
  const content = formatMessage(`${getPrompt(trigger)}\n\nThe commit is ${sha}.`, quotes, `svc-${runId}`);
  const request = {
    ...{ by, body: { content, attachments: [], context: noContext }, model: null },
    ...{ retriedTurnId: null, runningTurnId: null, seen: null },
  };
  const sent = await sendMessage(context, request, getWorkFacts(found, by), {
    key: `trigger ${runId}`,
    bodyHash: runId,
  });
  if (!isRefusal(sent)) return null;
  const reason = findRefusedReason(sent);
  if (reason === null) throw new Error(sent.message);
  return reason;
}

const getTitle = ({ name, conclusion, url }: CheckFailure) =>
  `The check ${name} ended with ${conclusion}${url === null ? "" : ` (${url})`}:`;
