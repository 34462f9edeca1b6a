// A send: a message that somebody sends to a session. The session takes it as it stands, and its chat delivers it.
import { type Actor, type Author, authorOf } from "../access/actor.ts";
import type { ClarificationQuestion } from "../chat/block.ts";
import type { ChatState } from "../chat/chat.ts";
import { type Delivery, type DeliveryCommand, deliver, deliverQueued, queuedToSend } from "../chat/delivery.ts";
import type { QueuedFacts } from "../chat/queued-message.ts";
import type { Decision } from "../decision.ts";
import type { SessionEffect } from "../effect.ts";
import { type ModelFacts, modelOfTurn, type TurnModelFacts } from "../model/model-choice.ts";
import { type PullRequestMove, stateAfter } from "../pull-request/pull-request.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { ofChat } from "./chat.ts";
import { checkVersion, type SessionVersion } from "./precondition.ts";
import { checkNoCommand } from "./runtime-command.ts";
import { checkSandbox, type SandboxFacts } from "./sandbox-need.ts";
import type { Assignee, Session, SessionState } from "./session.ts";

export interface SendCommand extends DeliveryCommand {
  /** The turn that the sender saw running. */
  runningTurnId: string | null;
  /** The session as it was when the message set out, where that was a while ago. */
  seen: SessionVersion | null;
}

/** What must be known besides the session's own state. */
export interface DeliveryFacts extends ModelFacts, TurnModelFacts, SandboxFacts {
  /** What its pull request was made for the message's sake, when the session is Under Review. */
  pullRequest?: PullRequestMove | null;
}

export interface SendFacts extends DeliveryFacts {
  /** How the turn named by `runningTurnId` ended, when it is one of this session's older turns. */
  runningTurnWasStopped: boolean;
  /** What the newest turn asked and nobody has answered; missing where nothing is chosen of it. */
  questions?: ClarificationQuestion[];
}

/** An agent may not send to its own session (decisions, "Skills and people"), in whichever way a message gets to an agent. */
export function checkNotItself({ id }: Session, by: Actor): Refusal | null {
  if (by.type !== "session-agent" || by.sessionId !== id) return null;
  return refuse(
    "FORBIDDEN",
    "An agent may not send to its own session. Say it in your answer, or ask the user with the ask tool.",
  );
}

type DeliveryDecision = Decision<SessionState, Delivery, SessionEffect>;

/** Decides a send (Part 1, "Delivery values of a send" and "What the session needs"). */
export function send(state: SessionState, command: SendCommand, facts: SendFacts, now: number): DeliveryDecision {
  const author = authorOf(command.by);
  const changed = checkVersion(state, command.seen, author);
  if (changed) return changed;
  const opened = openFor(state, author, facts);
  if (isRefusal(opened)) return opened;
  const mayStart = () => (facts.runningTurnWasStopped ? refuse("JOB_STOPPED") : checkSandbox(facts));
  const model = turnModel(opened.chat, command.model, facts);
  return ofChat(
    opened,
    deliver(opened.chat, { ...command, model }, { questions: facts.questions, mayStart }, now),
    now,
  );
}

/** Sends a waiting message now, ahead of the rest, while nothing runs (decisions, "Turns and Up next"): its author alone. */
export function sendQueued(
  state: SessionState,
  command: { messageId: string; turnId: string; by: Actor },
  facts: DeliveryFacts & QueuedFacts,
  now: number,
): DeliveryDecision {
  const message = queuedToSend(state.chat, command, facts);
  if (isRefusal(message)) return message;
  const opened = openFor(state, message.author, facts);
  if (isRefusal(opened)) return opened;
  const need = checkSandbox(facts);
  if (need) return need;
  const model = turnModel(opened.chat, null, facts);
  return ofChat(opened, deliverQueued(opened.chat, message, { turnId: command.turnId, model }, now), now);
}

function turnModel({ model: current }: ChatState, asked: string | null, facts: DeliveryFacts): string | null {
  const { assigneeDefaultModel: assigneeDefault, workspaceDefaultModel: workspaceDefault } = facts;
  return modelOfTurn({ asked, current, assigneeDefault, workspaceDefault }, facts);
}

/** The session as it takes a message of this author, or why it takes none. */
function openFor(state: SessionState, author: Author, facts: DeliveryFacts): SessionState | Refusal {
  const taken = openForMessages(state, author, facts);
  if (isRefusal(taken)) return taken;
  if (facts.isBlockedOnBilling) return refuse("CREDIT_LIMIT_REACHED");
  return checkNoCommand(taken.session) ?? assignTo(taken, author);
}

/** Under Review takes a member's message and is Active again by it; nobody else's. Ended sessions and the Backlog take none. */
function openForMessages(state: SessionState, author: Author, { pullRequest }: DeliveryFacts): SessionState | Refusal {
  const { session, chat } = state;
  switch (session.status) {
    case "active":
      return session.branch === null ? refuse("BAD_REQUEST", "This session has no branch yet.") : state;
    case "under-review":
      if (author.kind !== "member") return refuse("SESSION_UNDER_REVIEW");
      return {
        session: { ...session, status: "active", prState: stateAfter(pullRequest, session) },
        // Its reason is over. Where a turn still runs, the message would otherwise wait on after that turn's end.
        chat: chat.pause?.reason === "under_review" ? { ...chat, pause: null } : chat,
      };
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
