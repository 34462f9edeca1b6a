// The route of a session's pull request: what the code host shows of it now.
import { getSessionObject } from "../../../durable-objects/address.ts";
import { createCodeHost } from "../../code-host/code-host.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ok } from "../../http/response.ts";
import { findProject } from "../../project/queries.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { pullRequestSchema, toWirePullRequest } from "../wire/pull-request.ts";

const readPullRequest = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/chat-sessions/{sessionId}/pull-request",
  operation: "readPullRequest",
  summary: "Read the session's pull request, with checks and reviewers.",
  tag: "Files and commits",
  access: "files.read",
  noun: "session",
  response: { status: 200, data: pullRequestSchema },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({ env, found }) {
    const [state, project] = await Promise.all([
      getSessionObject(env, found.session.id).read(),
      findProject(env.DB, found.project.id),
    ]);
    if (isRefusal(state)) return state;
    const { prNumber } = state.session;
    if (prNumber === null || project === null)
      return refuse("NOT_FOUND", "The session has no pull request. Its agent opens one with `svc:open-pr`.");
    const read = await createCodeHost(env, project).readReview(project.repository, prNumber);
    return isRefusal(read) ? read : ok(toWirePullRequest(read));
  },
});

export const pullRequestRoutes = [readPullRequest];
