// Delivery: what becomes of a message that is sent to a session. It starts a turn, waits Up next, or is refused.
import { type Decision, decided } from "./decision.ts";
import type { SessionEffect } from "./effect.ts";
import type { MessageBody } from "./message.ts";
import { type ModelCircumstances, type ModelFacts, modelOfTurn } from "./model.ts";
import { isRefusal, type Refusal, refuse } from "./refusal.ts";
import type { Assignee, Author, SessionState } from "./session.ts";
import { isUnfinished, startTurn } from "./turn.ts";
import { enqueue } from "./up-next.ts";

export interface SendCommand {
  messageId: string;
  turnId: string;
  body: MessageBody;
  author: Author;
  /** The model the message asks for. */
  model: string | null;
  /** The turn that the sender saw running. */
  runningTurnId: string | null;
}

/** What must be known besides the session's own state. */
export interface SendFacts extends ModelFacts, ModelCircumstances {
  /** How the turn named by `runningTurnId` ended, when it is one of this session's older turns. */
  runningTurnWasStopped: boolean;
}

export type Delivery =
  | { delivery: "job"; turnId: string; turnNumber: number }
  | { delivery: "queued"; queuedMessageId: string };

/** Decides a send (Part 1, "Delivery values of a send" and "What the session needs"). */
export function send(
  state: SessionState,
  command: SendCommand,
  facts: SendFacts,
  now: number,
): Decision<SessionState, Delivery, SessionEffect> {
  const taken = openForMessages(state, command.author);
  if (isRefusal(taken)) return taken;
  const opened = assignTo(taken, command.author);
  if (facts.runningTurnWasStopped) return refuse("JOB_STOPPED");
  const { messageId, turnId, body, author } = command;
  if (isUnfinished(opened.turn)) {
    const queued = enqueue(opened, { ...body, id: messageId, author, version: 1, editing: null, createdAt: now });
    if (isRefusal(queued)) return queued;
    return decided(queued, { delivery: "queued", queuedMessageId: messageId }, [{ do: "project-session" }]);
  }
  const wishes = {
    asked: command.model,
    current: opened.session.model,
    assigneeDefault: facts.assigneeDefaultModel,
    workspaceDefault: facts.workspaceDefaultModel,
  };
  const model = modelOfTurn(wishes, facts);
  const started = startTurn({ ...opened, pause: null }, { turnId, messageId, body, author, model }, now);
  const turnNumber = started.state.turn?.number ?? 0;
  return decided(started.state, { delivery: "job", turnId, turnNumber }, started.effects);
}

/** Under Review takes a member's message and is Active again by it; nobody else's. Ended sessions and the Backlog take none. */
function openForMessages(state: SessionState, author: Author): SessionState | Refusal {
  const { session } = state;
  switch (session.status) {
    case "active":
      return session.branch === null ? refuse("BAD_REQUEST", "This session has no branch yet.") : state;
    case "under-review":
      if (author.kind !== "member") return refuse("SESSION_UNDER_REVIEW");
      return { ...state, session: { ...session, status: "active" } };
    case "backlog":
      return refuse("BAD_REQUEST", "This session is in the Backlog. Activate it first, then send.");
    case "completed":
    case "archived":
      return refuse("BAD_REQUEST", "This session has ended and takes no new messages.");
  }
}

/** Sending into an unassigned session makes the sender its Assignee (Part 1, "Send body"). */
function assignTo(state: SessionState, author: Author): SessionState {
  if (state.session.assignee !== null || author.kind !== "member") return state;
  const { userId, name, imageUrl } = author;
  const assignee: Assignee = { kind: "member", userId, name, imageUrl };
  return { ...state, session: { ...state.session, assignee } };
}
