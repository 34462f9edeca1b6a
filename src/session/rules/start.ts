// The start of a session: it is created with its first message, or taken out of the Backlog.

import type { Sender } from "../../access/rules/actor.ts";
import { createTextMessage } from "../../chat/rules/message.ts";
import type { Delivery } from "../../chat/rules/send.ts";
import { type Decision, decided } from "../../rules/decision.ts";
import type { SessionEffect } from "../../rules/effect.ts";
import { backlogPerWorkspace } from "../../rules/limits.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { createBranchName } from "./branch.ts";
import { checkModelOfBacklog } from "./model.ts";
import { checkNotItself, type SendCommand, type SendFacts, send } from "./send.ts";
import { createSession, getPromptWriter, type NewSession, type SessionState } from "./session.ts";

export interface FirstMessage {
  command: SendCommand;
  facts: SendFacts;
}

type StartDecision = Decision<SessionState, Delivery | null, SessionEffect>;

/** The refusal of a session for which the Backlog has no place. */
export const backlogFull = refuse(
  "BAD_REQUEST",
  `A workspace keeps ${backlogPerWorkspace.toLocaleString("en")} sessions in its Backlog at most. Start or archive some of them first.`,
);

/** Creates a session, together with its first turn if a message is given: both, or neither. */
export function startSession(
  command: NewSession,
  { by, first }: { by: Sender; first: FirstMessage | null },
  now: number,
): StartDecision {
  const created = createSession(command, by, now);
  if (first === null) return decided(created.state, null, created.effects);
  const sent = send(created.state, first.command, first.facts, now);
  if (isRefusal(sent)) return sent;
  // The message that a session starts with is not an attempt to repair it.
  const session = { ...sent.state.session, automatic: created.state.session.automatic };
  return decided({ ...sent.state, session }, sent.result, [...created.effects, ...sent.effects]);
}

/**
 * Starts a Backlog session (Part 1, "Session statuses"): it gets its branch, and its saved prompt
 * becomes the first message. Refuses BAD_REQUEST for a session that is not in the Backlog, and for
 * a model that cannot be run, with the cause.
 */
export function activate(
  state: SessionState,
  command: Omit<SendCommand, "body">,
  facts: SendFacts,
  now: number,
): StartDecision {
  const { session, chat } = state;
  const itself = checkNotItself(session, command.by);
  if (itself) return itself;
  if (session.status !== "backlog") return refuse("BAD_REQUEST", "Only a session in the Backlog can be activated.");
  const unrunnable = checkModelOfBacklog(chat.model, facts);
  if (unrunnable) return unrunnable;
  const branch = createBranchName(session.title, session.id);
  const started: SessionState = {
    ...state,
    session: { ...session, status: "active", branch, startedAt: now, updatedAt: now },
  };
  const prompt = session.prompt?.trim() ? session.prompt : null;
  if (prompt === null) return decided(started, null, [{ type: "index-session" }]);
  const body = createTextMessage(prompt);
  const context = { ...body.context, writer: getPromptWriter(session) };
  return send(started, { ...command, body: { ...body, context } }, facts, now);
}
