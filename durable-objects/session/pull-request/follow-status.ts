// A session's pull request follows the session's status: it is a draft while the session is Active, and open for review Under Review.
import { codeHost } from "../../../src/code-host/code-host.ts";
import { type PullRequestMove, pullRequestMove } from "../../../src/rules/pull-request/pull-request.ts";
import { type Refusal, refuse } from "../../../src/rules/refusal.ts";
import type { SessionState } from "../../../src/rules/session/session.ts";
import type { SessionStatus } from "../../../src/rules/session/status.ts";
import { findProject } from "../../../src/storage/queries/projects.ts";
import type { SessionContext } from "../context.ts";

/** Turns the pull request back into a draft for a message that resumes the session. Null if nothing changes. */
export async function reopenPullRequest(
  context: SessionContext,
  state: SessionState,
  to: SessionStatus,
): Promise<PullRequestMove | null | Refusal> {
  if (pullRequestMove(state.session, to) === null) return null;
  return await context.exclusively(() => movePullRequest(context, state, to));
}

/** Marks the pull request as the status asks. Null if nothing changes. */
export async function movePullRequest(
  { env }: SessionContext,
  { session }: SessionState,
  to: SessionStatus,
): Promise<PullRequestMove | null | Refusal> {
  const move = pullRequestMove(session, to);
  if (move === null || session.prNumber === null) return null;
  const project = await findProject(env.DB, session.projectId);
  if (project === null) return refuse("NOT_FOUND", "The project has been deleted.");
  const { markDraft, markReady } = codeHost(env, project);
  const mark = move === "draft" ? markDraft : markReady;
  return (await mark(project.repository, session.prNumber)) ?? move;
}
