// Changes of a session by an update: its fields, model, Assignee and status. An update may have to stop the turn first, or change the pull
// request on the code host. No other change comes between.

import { type Actor, service } from "../../src/access/rules/actor.ts";
import { catalog } from "../../src/model/catalog.ts";
import type { TurnModelFacts } from "../../src/model/rules/choice.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { endByPullRequest } from "../../src/session/rules/pull-request/code-host-event.ts";
import type { SessionState } from "../../src/session/rules/session.ts";
import { isEnded } from "../../src/session/rules/status.ts";
import { type SessionChanges, updateSession } from "../../src/session/rules/update.ts";
import { within } from "../object/timeout.ts";
import { noSession, type SessionContext } from "./context.ts";
import { withPullRequest } from "./pull-request/status-follow-status.ts";
import { stopTurn } from "./update-stop.ts";

/** The longest wait for the code host to compare the branch with a new Target Branch. Later it is compared after the answer. */
const compareWaitMs = 3_000;

/** Changes fields, model, Assignee or status. */
export async function update(
  context: SessionContext,
  changes: SessionChanges,
  by: Actor,
  { runnable }: Pick<TurnModelFacts, "runnable">,
): Promise<SessionState | Refusal> {
  const changed = await context.exclusively(async () => {
    const before = context.store.find();
    if (!before) return noSession;
    const { status = before.session.status } = changes;
    const ends = isEnded(status);
    const facts = { by, catalog, runnable, pullRequest: null };
    // An update that is refused anyway must not stop a turn or change a pull request.
    const expected = updateSession(
      ends ? { ...before, chat: { ...before.chat, turn: null } } : before,
      changes,
      facts,
      Date.now(),
    );
    if (isRefusal(expected)) return expected;
    if (ends && !isEnded(before.session.status)) await stopTurn(context, by);
    return await withPullRequest(context, before, status, (pullRequest) =>
      context.decide(by, (state, now) => updateSession(state, changes, { ...facts, pullRequest }, now)),
    );
  });
  if (isRefusal(changed)) return changed;
  if (changes.targetBranch !== undefined) await within(context.shell.settled("compare-branch"), compareWaitMs);
  // The next request finds the session in the database, and a list shows it as it was answered.
  await context.shell.settled("index-session");
  return context.store.find() ?? noSession;
}

/** Ends the session because its pull request has ended. Throws if it cannot now, so that it is tried again. */
export async function followPullRequest(context: SessionContext): Promise<void> {
  const state = context.store.find();
  const status = state && endByPullRequest(state);
  if (status === null) return;
  const ended = await update(context, { status }, service, { runnable: new Set() });
  if (isRefusal(ended)) throw new Error(ended.message);
}
