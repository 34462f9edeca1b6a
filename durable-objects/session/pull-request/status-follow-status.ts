// A session's pull request follows the session's status: it is a draft while the session is Active, and open for review Under Review.
import { codeHost } from "../../../src/code-host/code-host.ts";
import { findProject } from "../../../src/project/queries.ts";
import { isRefusal, type Refusal, refuse } from "../../../src/rules/refusal.ts";
import { type PullRequestMove, pullRequestMove } from "../../../src/session/rules/pull-request/pull-request.ts";
import type { Session, SessionState } from "../../../src/session/rules/session.ts";
import type { SessionStatus } from "../../../src/session/rules/status.ts";
import type { SessionContext } from "../context.ts";

/**
 * Makes a change that gives the session a status, once the pull request is as that status asks. The change gets what was made of it; null for
 * nothing. If the change is refused, the pull request is put back.
 */
export async function withPullRequest<Answer>(
  context: SessionContext,
  { session }: SessionState,
  to: SessionStatus,
  change: (move: PullRequestMove | null) => Answer | Refusal,
): Promise<Answer | Refusal> {
  const move = pullRequestMove(session, to);
  if (move === null) return change(null);
  const unmoved = await mark(context, session, move);
  if (unmoved) return unmoved;
  const answer = change(move);
  if (isRefusal(answer) && context.store.find()?.session.status === session.status) {
    const kept = await mark(context, session, move === "draft" ? "open" : "draft");
    if (kept) console.error("a pull request was not put back", session.id, session.prNumber, kept.message);
  }
  return answer;
}

/** Marks the pull request on the code host. */
async function mark(
  { env }: SessionContext,
  { projectId, prNumber }: Session,
  move: PullRequestMove,
): Promise<Refusal | null> {
  if (prNumber === null) return null;
  const project = await findProject(env.DB, projectId);
  if (project === null) return refuse("NOT_FOUND", "The project has been deleted.");
  const { markDraft, markReady } = codeHost(env, project);
  return await (move === "draft" ? markDraft : markReady)(project.repository, prNumber);
}
