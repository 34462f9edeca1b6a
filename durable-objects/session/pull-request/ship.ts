// Shipping: an agent asks for it in its turn. What cannot be merged yet is merged when the code host reports that its checks have passed.

import { service } from "../../../src/access/rules/actor.ts";
import type { ToolAnswer } from "../../../src/chat/rules/agent-profile.ts";
import { codeHost } from "../../../src/code-host/code-host.ts";
import { findProject } from "../../../src/project/queries.ts";
import { isRefusal, type Refusal, refuse } from "../../../src/rules/refusal.ts";
import { askToShip, type ShipOutcome, settleShip, shipText } from "../../../src/session/rules/pull-request/ship.ts";
import { noSession, type SessionContext } from "../context.ts";
import { shipPullRequest } from "./ship-ship-on-code-host.ts";

/** Ships as the agent of a turn asks for it. Asked again, it merges nothing twice. */
export async function shipForTurn(
  context: SessionContext,
  request: { turnId: string; sha: string },
): Promise<ToolAnswer | Refusal> {
  return await context.withLock("pull-request", async () => {
    const asked = context.decide(service, (state, now) => askToShip(state, request, now));
    if (isRefusal(asked)) return asked;
    const outcome = await attempt(context, request.sha, { isAsked: true });
    const settled: ShipOutcome = isRefusal(outcome) ? { type: "refused", reason: outcome.message } : outcome;
    context.decide(service, (state, now) => settleShip(state, { sha: request.sha, outcome: settled }, now));
    if (isRefusal(outcome)) return outcome;
    return { text: shipText(outcome), questions: null };
  });
}

/** Ships a commit that waits for its checks, if they have passed. Throws if the code host does not answer. */
export async function shipOnceChecked(context: SessionContext): Promise<void> {
  await context.withLock("pull-request", async () => {
    const sha = context.store.find()?.session.ship?.sha;
    if (!sha) return;
    const outcome = await attempt(context, sha, { isAsked: false });
    if (isRefusal(outcome)) throw new Error(outcome.message);
    context.decide(service, (state, now) => settleShip(state, { sha, outcome }, now));
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
  return await shipPullRequest(codeHost(env, project), { repository, session, number: session.prNumber, sha, isAsked });
}
