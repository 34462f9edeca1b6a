// What the session reads from the code host about its branch and its pull request, and the moves of
// the pull request between draft and ready. No sandbox is called.
import { service } from "../../../src/access/rules/actor.ts";
import { createCodeHost } from "../../../src/code-host/code-host.ts";
import { log } from "../../../src/lib/log.ts";
import { findProject } from "../../../src/project/queries.ts";
import { isRefusal, type Refusal, refuse } from "../../../src/rules/refusal.ts";
import {
  recordBehind,
  recordMarkedReady,
  recordVerdict,
} from "../../../src/session/rules/pull-request/code-host-event.ts";
import { findPullRequestMove, type PullRequestMove } from "../../../src/session/rules/pull-request/ready-or-draft.ts";
import { recordLastActivity } from "../../../src/session/rules/pull-request/stale.ts";
import type { Session, SessionState } from "../../../src/session/rules/session.ts";
import type { SessionStatus } from "../../../src/session/rules/status.ts";
import type { SessionContext } from "../context.ts";

/**
 * Compares the branch with the Target Branch. If the sandbox reported a commit of the Target
 * Branch, that commit is compared too, because it may be newer than what was pushed. Throws if the
 * code host does not respond.
 */
export async function compareBranch({ env, store, decide }: SessionContext): Promise<void> {
  const { session } = store.find() ?? {};
  if (!session || session.branch === null) return;
  const project = await findProject(env.DB, session.projectId);
  if (!project) return;
  const { targetBranch, targetCommit } = session;
  const behindBy = async (branch: string): Promise<number | null> => {
    const compared = await createCodeHost(env, project).compareBranches(project.repository, targetBranch, branch);
    if (!isRefusal(compared)) return compared.behindBy;
    // The branch was not pushed yet, or was deleted.
    if (compared.code !== "NOT_FOUND") throw new Error(compared.message);
    return null;
  };
  const hostBehindBy = await behindBy(session.branch);
  const sandboxBehindBy = hostBehindBy === 0 || targetCommit === null ? null : await behindBy(targetCommit);
  decide(service, (state, now) =>
    recordBehind(state, { targetBranch, hostBehindBy, targetCommit, sandboxBehindBy }, now),
  );
}

/**
 * Moves the pull request to match a new status of the session, then makes the change that sets the
 * status. The change receives the move, or null if none was needed. If the change is refused, the
 * pull request is moved back.
 */
export async function withPullRequest<Result>(
  context: SessionContext,
  { session }: SessionState,
  to: SessionStatus,
  change: (move: PullRequestMove | null) => Result | Refusal,
): Promise<Result | Refusal> {
  const move = findPullRequestMove(session, to);
  if (move === null) return change(null);
  const unmoved = await updatePullRequestState(context, session, move);
  if (unmoved) return unmoved;
  const result = change(move);
  if (isRefusal(result)) await restorePullRequest(context, session, move);
  return result;
}

/** Undoes a move, unless the session's status has changed since. */
export async function restorePullRequest(
  context: SessionContext,
  session: Session,
  move: PullRequestMove,
): Promise<void> {
  if (context.store.find()?.session.status !== session.status) return;
  const kept = await updatePullRequestState(context, session, move === "draft" ? "open" : "draft");
  if (kept)
    log.warn("pull_request.not_restored", { sessionId: session.id, number: session.prNumber, error: kept.message });
}

/** Marks the pull request on the code host as draft or ready. */
export async function updatePullRequestState(
  { env }: SessionContext,
  { projectId, prNumber }: Session,
  move: PullRequestMove,
): Promise<Refusal | null> {
  if (prNumber === null) return null;
  const project = await findProject(env.DB, projectId);
  if (project === null) return refuse("NOT_FOUND", "The project has been deleted.");
  const { markDraft, markReady } = createCodeHost(env, project);
  return await (move === "draft" ? markDraft : markReady)(project.repository, prNumber);
}

/**
 * Marks the pull request ready after automatic work, unless the session works again. Throws if the
 * code host does not respond.
 */
export async function endDraft(context: SessionContext): Promise<void> {
  const { session } = context.store.find() ?? {};
  if (session?.status !== "under-review" || session.prState !== "draft") return;
  const unmarked = await updatePullRequestState(context, session, "open");
  if (unmarked?.code === "SERVICE_UNAVAILABLE") throw new Error(unmarked.message);
  if (unmarked)
    log.warn("pull_request.not_restored", { sessionId: session.id, number: session.prNumber, error: unmarked.message });
  else context.decide(service, (state) => recordMarkedReady(state));
}

/** Webhooks within this time belong to one burst. */
const burstMs = 300;

/** The reports that each object had received when it last read the checks. */
const reportsAtReading = new WeakMap<SessionContext, string>();

/**
 * Reads the checks of the session's pull request and records the verdict on the newest commit. Each
 * webhook reports only one check, and only the code host knows when all have ended, so they are
 * read once for a burst of webhooks. Throws if the code host does not respond.
 */
export async function readChecks(context: SessionContext): Promise<void> {
  const { env, store, decide } = context;
  await scheduler.wait(burstMs);
  const { session } = store.find() ?? {};
  const sha = session?.prReport?.sha;
  const reports = JSON.stringify({ ...session?.prReport, verdict: null, lastVerdict: null });
  // The other webhooks of a burst ask for checks that have already been read.
  if (reportsAtReading.get(context) === reports) return;
  const project = session && (await findProject(env.DB, session.projectId));
  if (!project || sha === undefined) return;
  const checks = await createCodeHost(env, project).readChecks(project.repository, sha);
  if (isRefusal(checks)) {
    if (checks.code === "SERVICE_UNAVAILABLE") throw new Error(checks.message);
    return;
  }
  reportsAtReading.set(context, reports);
  const { state, pending } = checks;
  const verdict = state === "passed" || state === "failed" ? state : null;
  const haveAllEnded = pending.length === 0;
  decide(service, (state) => recordVerdict(state, { sha, verdict, haveAllEnded }));
}

/**
 * Records the time of the last activity. If the code host does not respond, it is asked again
 * later.
 */
export async function readLastActivity({ env, store, decide }: SessionContext): Promise<void> {
  const { session } = store.find() ?? {};
  if (!session || session.prNumber === null) return;
  const project = await findProject(env.DB, session.projectId);
  if (!project) return;
  const found = await createCodeHost(env, project).readPullRequest(project.repository, session.prNumber);
  decide(service, (state, now) => recordLastActivity(state, isRefusal(found) ? null : found, now));
}
