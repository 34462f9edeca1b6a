// Manual changes to a session: its fields, its model, its Assignee and its status.

import type { Actor } from "../../access/rules/actor.ts";
import { getWriter } from "../../chat/rules/message.ts";
import { getReviewPause } from "../../chat/rules/queue-pause.ts";
import { isUnfinished } from "../../chat/rules/turn.ts";
import { checkInCatalog, type ModelFacts } from "../../model/rules/choice.ts";
import { type Decision, decided } from "../../rules/decision.ts";
import type { SessionEffect } from "../../rules/effect.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { type MetadataChanges, updateMetadata } from "./metadata.ts";
import { checkModelChange } from "./model.ts";
import { isCompared } from "./pull-request/code-host-event.ts";
import { findStateAfter, type PullRequestMove } from "./pull-request/ready-or-draft.ts";
import { checkNoCommand } from "./runtime-command.ts";
import type { Assignee, Priority, Session, SessionState } from "./session.ts";
import { checkMove, isEnded, type SessionStatus } from "./status.ts";

/** The fields to change; a missing field stays. */
export interface SessionChanges {
  title?: string | undefined;
  prompt?: string | null | undefined;
  priority?: Priority | undefined;
  assignee?: Assignee | null | undefined;
  status?: SessionStatus | undefined;
  model?: string | undefined;
  targetBranch?: string | undefined;
  spendLimitUsd?: number | null | undefined;
  metadata?: MetadataChanges | undefined;
}

export interface UpdateFacts extends ModelFacts {
  by: Actor;
  /** The state that the session's pull request was given for the move. */
  pullRequest: PullRequestMove | null;
}

/** Changes a session. Setting a field to its current value changes nothing. */
export function updateSession(
  state: SessionState,
  changes: SessionChanges,
  facts: UpdateFacts,
  now: number,
): Decision<SessionState, null, SessionEffect> {
  const { model } = changes;
  const unknown = model === undefined || model === state.chat.model ? null : checkInCatalog(model, facts.catalog);
  if (unknown) return unknown;
  const moved = moveTo(state, changes.status ?? state.session.status, facts, now);
  if (isRefusal(moved)) return moved;
  const refusal = checkModelChange(moved, model, facts);
  if (refusal) return refusal;
  const metadata = updateMetadata(state.session.metadata, changes.metadata ?? {});
  if (isRefusal(metadata)) return metadata;
  const { status: _, model: __, metadata: ___, ...fields } = changes;
  const asked = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const isRewritten = changes.prompt !== undefined && changes.prompt !== state.session.prompt;
  const written = isRewritten ? { promptWriter: getWriter(facts.by) } : {};
  const isRenamed = changes.title !== undefined && changes.title !== state.session.title;
  const named = isRenamed ? { titleSource: "person" as const } : {};
  const session: Session = { ...moved.session, ...asked, ...written, ...named, metadata };
  const chat = model === undefined || model === moved.chat.model ? moved.chat : { ...moved.chat, model };
  if (chat === state.chat && JSON.stringify(session) === JSON.stringify(state.session)) return decided(state, null);
  const isRetargeted = session.targetBranch !== state.session.targetBranch;
  return decided({ session: { ...session, updatedAt: now }, chat }, null, [
    ...(isRetargeted && isCompared(session) ? [{ type: "compare-branch" } as const] : []),
    ...(isEnded(session.status) && !isEnded(state.session.status) ? endEffects(state.session) : []),
    { type: "index-session" },
    ...(changes.metadata === undefined ? [] : [{ type: "index-metadata" } as const]),
  ]);
}

/**
 * Moves a session to a status. A running turn continues Under Review; it must be stopped before the
 * session can end.
 */
function moveTo(
  state: SessionState,
  to: SessionStatus,
  { pullRequest }: UpdateFacts,
  now: number,
): SessionState | Refusal {
  const { session, chat } = state;
  if (session.status === to) return state;
  const refused = checkMove(session.status, to);
  if (refused) return refused;
  const busy = checkNoCommand(session);
  if (busy) return busy;
  if (isEnded(to)) {
    if (isUnfinished(state.chat.turn)) return refuse("SESSION_UPDATING", "The turn is still being stopped. Try again.");
    return { ...state, session: { ...session, status: to, isBehind: false, endedAt: now } };
  }
  const moved = { ...session, status: to, prState: findStateAfter(pullRequest, session) };
  const pause = to === "under-review" ? getReviewPause(chat.pause, now) : chat.pause;
  return { session: moved, chat: pause === chat.pause ? chat : { ...chat, pause } };
}

function endEffects({ startedAt }: Session): SessionEffect[] {
  return startedAt === null ? [] : [{ type: "stop-sandbox" }];
}
