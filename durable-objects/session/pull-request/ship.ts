// Shipping: an agent requests it in its turn. What cannot be merged yet is merged when the code
// host reports that its checks have passed.
import { service } from "../../../src/access/rules/actor.ts";
import type { ToolAnswer } from "../../../src/chat/rules/agent-profile.ts";
import { type CodeHost, createCodeHost, type PullRequest } from "../../../src/code-host/code-host.ts";
import { log } from "../../../src/lib/log.ts";
import { findProject } from "../../../src/project/queries.ts";
import { isRefusal, type Refusal, refuse } from "../../../src/rules/refusal.ts";
import {
  findUncheckedOutcome,
  formatShipOutcome,
  getShipStep,
  recordShipOutcome,
  requestShip,
  type ShipOutcome,
} from "../../../src/session/rules/pull-request/ship.ts";
import type { Session } from "../../../src/session/rules/session.ts";
import { isWorkspaceSuspended } from "../../../src/workspace/queries/workspaces.ts";
import { noSession, type SessionContext } from "../context.ts";

/** Ships at the request of a turn's agent. A repeated request merges nothing twice. */
export async function shipForTurn(
  context: SessionContext,
  request: { turnId: string; sha: string },
): Promise<ToolAnswer | Refusal> {
  return await context.withLock("pull-request", async () => {
    const asked = context.decide(service, (state, now) => requestShip(state, request, now));
    if (isRefusal(asked)) return asked;
    const outcome = await attempt(context, request.sha, { isAsked: true });
    const settled: ShipOutcome = isRefusal(outcome) ? { type: "refused", reason: outcome.message } : outcome;
    context.decide(service, (state, now) => recordShipOutcome(state, { sha: request.sha, outcome: settled }, now));
    if (isRefusal(outcome)) return outcome;
    return { text: formatShipOutcome(outcome), questions: null };
  });
}

/**
 * Ships a commit that waits for its checks, if they have passed. Throws if the code host does not
 * respond.
 */
export async function shipOnceChecked(context: SessionContext): Promise<void> {
  await context.withLock("pull-request", async () => {
    const { session } = context.store.find() ?? {};
    const sha = session?.ship?.sha;
    if (!session || !sha) return;
    // The effect is tried again, so the commit is merged after the suspension.
    if (await isWorkspaceSuspended(context.env.DB, session.workspaceId)) throw new Error("the workspace is suspended");
    const outcome = await attempt(context, sha, { isAsked: false });
    if (isRefusal(outcome)) throw new Error(outcome.message);
    context.decide(service, (state, now) => recordShipOutcome(state, { sha, outcome }, now));
  });
}

/** Makes one attempt. A refusal may be retried; an outcome is final. */
async function attempt(
  { env, store }: SessionContext,
  sha: string,
  { isAsked }: { isAsked: boolean },
): Promise<ShipOutcome | Refusal> {
  const { session } = store.find() ?? {};
  if (!session || session.prNumber === null) return noSession;
  const project = await findProject(env.DB, session.projectId);
  if (!project) return refuse("NOT_FOUND", "The project has been deleted.");
  const { repository } = project;
  return await shipPullRequest(createCodeHost(env, project), {
    repository,
    session,
    number: session.prNumber,
    sha,
    isAsked,
  });
}

export interface ShipCommand {
  repository: string;
  session: Session;
  number: number;
  sha: string;
  /** True while the turn that asked waits for the outcome. */
  isAsked: boolean;
}

/**
 * Makes one attempt to ship a session's pull request: merges the commit if its checks have passed.
 * A refusal may be retried; an outcome is final.
 */
async function shipPullRequest(host: CodeHost, command: ShipCommand): Promise<ShipOutcome | Refusal> {
  const { repository, session, number, sha, isAsked } = command;
  const found = await host.readPullRequest(repository, number);
  if (isRefusal(found)) return found;
  const attempt = { session, found, isAsked };
  const unchecked = findUncheckedOutcome(attempt);
  if (unchecked) return unchecked;
  const checks = await host.readChecks(repository, sha);
  if (isRefusal(checks)) return checks;
  const step = getShipStep(attempt, checks);
  if (step.type === "give-up") {
    const stays = step.thenDraft ? await markDraftAgain(host, command) : null;
    return stays?.code === "SERVICE_UNAVAILABLE" ? stays : { type: "failed", checks: step.checks };
  }
  const unmarked = step.makesReady ? await host.markReady(repository, number) : null;
  if (unmarked) return unmarked;
  if (step.type === "wait") {
    const ready = step.makesReady ? await host.readPullRequest(repository, number) : null;
    const readyAt = ready && !isRefusal(ready) && ready.sha === sha ? ready.changedAt : undefined;
    return { type: "waiting", checks: step.checks, readyAt };
  }
  const unmerged = await host.mergePullRequest(repository, number, sha);
  if (unmerged) return await leaveUnmerged(host, command, { found, unmerged, ...step });
  const merged = await host.readPullRequest(repository, number);
  // It is merged, even if the code host does not say by whom.
  return { type: "merged", mergedBy: isRefusal(merged) ? undefined : merged.mergedBy };
}

/**
 * Turns the pull request back into a draft if it was made ready only to be shipped. Returns the
 * reason why it was not merged.
 */
async function leaveUnmerged(
  host: CodeHost,
  command: ShipCommand,
  { found, unmerged, elseDraft }: { found: PullRequest; unmerged: Refusal; elseDraft: boolean },
): Promise<ShipOutcome | Refusal> {
  // If no turn waits, the attempt is retried until the code host responds.
  const isTriedAgain = ({ code }: Refusal) => code === "SERVICE_UNAVAILABLE" && !command.isAsked;
  if (isTriedAgain(unmerged)) return unmerged;
  const kept = elseDraft ? await markDraftAgain(host, command) : null;
  if (kept && isTriedAgain(kept)) return kept;
  const stays = kept ? ` Nor could it be made a draft again, so it is open for review: ${kept.message}` : "";
  if (unmerged.code === "SERVICE_UNAVAILABLE") return { ...unmerged, message: `${unmerged.message}${stays}` };
  return { type: "refused", reason: `${unmerged.message}${stays}${await adviceOn(host, command, found.base)}` };
}

/** The advice for a branch that is behind its base. */
async function adviceOn(host: CodeHost, { repository, session }: ShipCommand, base: string): Promise<string> {
  const compared = session.branch && (await host.compareBranches(repository, base, session.branch));
  const isBehind = compared && !isRefusal(compared) && compared.behindBy > 0;
  return isBehind ? ` The branch lacks what ${base} has: run the skill svc:sync-branch, then ship again.` : "";
}

/**
 * Turns the pull request back into a draft, because it should not be reviewed while it is not to be
 * merged. Logs and returns why that failed; null if it succeeded.
 */
async function markDraftAgain(host: CodeHost, { repository, number }: ShipCommand): Promise<Refusal | null> {
  const refusal = await host.markDraft(repository, number);
  if (refusal) log.warn("pull_request.not_restored", { repository, number, error: refusal.message });
  return refusal;
}
