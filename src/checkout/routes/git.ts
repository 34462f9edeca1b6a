// The routes of git in a session's sandbox: status, commit, drafted commit message and push.
import * as z from "zod";
import { getSandboxObject, getSessionObject } from "../../../durable-objects/address.ts";
import type { Found } from "../../access/queries.ts";
import { findOwner } from "../../access/rules/actor.ts";
import { findCodeHostIdentity } from "../../account/queries.ts";
import type { Env } from "../../env.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ok } from "../../http/response.ts";
import { commitMessageCharactersMax, commitMessageCharactersMin } from "../../rules/limits.ts";
import { isRefusal, type Refusal, type RefusalCode, refuse } from "../../rules/refusal.ts";
import { findSessionSandboxOwner, type SandboxOwner } from "../../sandbox/rules/owner.ts";
import { getComparisonBase } from "../../session/rules/pull-request/pull-request.ts";
import { checkWake } from "../../session/rules/send.ts";
import { allowanceUsedUp, isOverAllowance } from "../../workspace/rules/billing-block.ts";
import { draftCommitMessage } from "../draft-commit-message.ts";
import { getCommitAuthor } from "../rules/commit-author.ts";
import { checkManualChange } from "../rules/manual-change.ts";
import { gitStateSchema, newCommitSchema } from "../wire/changes.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/preview";
const tag = "Files and commits";

/** Normalized as git does, so that the response shows what was committed. */
const commitMessage = z
  .string()
  .min(commitMessageCharactersMin, { abort: true })
  .max(commitMessageCharactersMax)
  .refine((message) => message.trim() !== "", "must not be blank")
  .refine((message) => !message.includes("\0"), "must not hold a NUL")
  .refine((message) => message.isWellFormed(), "must not hold half of a surrogate pair")
  .meta({ description: "The commit's message.", examples: ["Sort departures by time"] });

const drafted = z
  .string()
  .meta({ description: "The message that was drafted.", examples: ["Sort departures by time"] });

/** The refusals of a call that wakes a paused sandbox. */
const wakeRefusals: RefusalCode[] = [
  ...(["BAD_REQUEST", "CREDIT_LIMIT_REACHED", "JOB_ACTIVE", "DEPLOY_ACTIVE"] as const),
  ...(["SANDBOX_LIMIT_REACHED", "SERVICE_UNAVAILABLE"] as const),
];

const readGitState = endpoint({
  method: "GET",
  path: `${path}/git-state`,
  operation: "readGitState",
  summary: "Return what is not committed, pushed or merged. Never wakes a sandbox.",
  tag,
  access: "files.read",
  noun: "session",
  response: { status: 200, data: gitStateSchema },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({ env, found }) {
    const checkoutQuery = { type: "state", base: getComparisonBase(found.session) } as const;
    const read = await getSandboxObject(env, found.session.sandboxKey).readCheckout(checkoutQuery);
    if (isRefusal(read)) return read;
    const unknown = { hasUncommittedChanges: false, hasUnpushedCommits: false, hasCommitsAheadOfBase: false };
    return ok(read.state ? { available: true, ...read.state } : { available: false, ...unknown });
  },
});

const commit = endpoint({
  method: "POST",
  path: `${path}/git/commit`,
  operation: "commitChanges",
  summary: "Stage and commit every change. Wakes a paused sandbox.",
  tag,
  access: "git.commit",
  noun: "session",
  with: ["runningMsThisMonth", "slot"],
  body: { schema: z.strictObject({ message: commitMessage }) },
  isRepeatable: true,
  response: { status: 200, data: newCommitSchema },
  refusals: wakeRefusals,
  async handle({ env, found, body, caller, idempotency }) {
    const member = findOwner(caller.actor);
    const author = getCommitAuthor(member && (await findCodeHostIdentity(env.DB, member.id)));
    const order = { by: caller.actor, owner: ownerToWake(found), message: body.message, author };
    const committed = await getSessionObject(env, found.session.id).commit(order, idempotency);
    return isRefusal(committed) ? committed : ok({ sha: committed.sha });
  },
});

const draftMessage = endpoint({
  method: "POST",
  path: `${path}/git/commit-message`,
  operation: "draftCommitMessage",
  summary: "Draft a commit message. Commits nothing.",
  tag,
  access: "git.commit",
  noun: "session",
  with: ["callerModels", "assigneeModels"],
  response: { status: 200, data: z.object({ message: drafted }) },
  refusals: ["BAD_REQUEST", "CREDIT_LIMIT_REACHED", "SERVICE_UNAVAILABLE"],
  async handle({ env, found, caller }) {
    const message = await draftCommitMessage(env, found, caller.actor);
    return isRefusal(message) ? message : ok({ message });
  },
});

const push = endpoint({
  method: "POST",
  path: `${path}/git/push`,
  operation: "pushBranch",
  summary: "Push the session's branch. Wakes a paused sandbox.",
  tag,
  access: "git.push",
  noun: "session",
  with: ["runningMsThisMonth", "slot"],
  isRepeatable: true,
  response: { status: 200, data: z.object({ ok: z.literal(true) }) },
  refusals: wakeRefusals,
  async handle({ env, found, caller, idempotency }) {
    const order = { owner: ownerToWake(found), userId: findOwner(caller.actor)?.id ?? null };
    const refusal = await getSessionObject(env, found.session.id).push(order, idempotency);
    return refusal ?? ok({ ok: true });
  },
});

/**
 * The owner of a sandbox that these requests may wake, or a refusal (Part 1, "Files and commits";
 * "Errors").
 */
function ownerToWake(found: Found<"session", "runningMsThisMonth" | "slot">): SandboxOwner | Refusal {
  const owner = requireSandboxOwner(found);
  if (isRefusal(owner)) return owner;
  if (isOverAllowance(found.workspace.plan, found.runningMsThisMonth)) return allowanceUsedUp;
  return checkWake({ sandbox: found.slot, isHeldByDeploy: found.project.holdsSessionsUp }) ?? owner;
}

export const gitRoutes = [readGitState, commit, draftMessage, push];

/** Refuses manual changes while a turn runs. */
export async function checkNoTurnRuns(env: Env, sessionId: string): Promise<Refusal | null> {
  const seen = await getSessionObject(env, sessionId).version();
  return isRefusal(seen) ? seen : checkManualChange(seen);
}

/**
 * Refuses sessions that are not open, and sessions without a branch (Part 1, "Errors":
 * BAD_REQUEST).
 */
function requireSandboxOwner({ workspace, project, session }: Found<"session">): SandboxOwner | Refusal {
  const owner = findSessionSandboxOwner({ ...session, workspaceId: workspace.id, projectId: project.id });
  return owner ?? refuse("BAD_REQUEST", "This session has no sandbox: it is in the Backlog or has ended.");
}
