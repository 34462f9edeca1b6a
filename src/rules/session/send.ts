// Delivery: what becomes of a message that is sent to a session. It starts a turn, waits Up next, or is refused.

import type { Actor } from "../access/actor.ts";
import type { ClarificationQuestion } from "../chat/block.ts";
import { type Answer, chooseOptions } from "../chat/clarification-answer.ts";
import type { ChosenOption, MessageBody } from "../chat/message.ts";
import { type QueuedFacts, queuedMessage } from "../chat/queued-message.ts";
import { isUnfinished, startTurn, type Turn } from "../chat/turn.ts";
import { enqueue, startQueued } from "../chat/up-next.ts";
import { type Decision, decided } from "../decision.ts";
import type { SessionEffect } from "../effect.ts";
import { type ModelCircumstances, type ModelFacts, modelOfTurn } from "../model/model.ts";
import { type PullRequestMove, stateAfter } from "../pull-request/pull-request.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { checkArrival, type Glance } from "./precondition.ts";
import { checkNoCommand } from "./runtime-command.ts";
import { checkSandbox, type SandboxCircumstances } from "./sandbox-need.ts";
import type { Assignee, Author, SessionState } from "./session.ts";

export interface SendCommand {
  messageId: string;
  turnId: string;
  body: MessageBody;
  author: Author;
  /** The model the message asks for. */
  model: string | null;
  /** The options chosen of the clarification that waits; missing for none. */
  answers?: Answer[];
  /** The turn that the sender saw running. */
  runningTurnId: string | null;
  /** The failed turn that the sender wants retried with a fresh agent. */
  retriedTurnId: string | null;
  /** The session as it was when the message set out, where that was a while ago. */
  seen: Glance | null;
}

/** What must be known besides the session's own state. */
export interface DeliveryFacts extends ModelFacts, ModelCircumstances, SandboxCircumstances {
  /** What its pull request was made for the message's sake, when the session is Under Review. */
  pullRequest?: PullRequestMove | null;
}

export interface SendFacts extends DeliveryFacts {
  /** How the turn named by `runningTurnId` ended, when it is one of this session's older turns. */
  runningTurnWasStopped: boolean;
  /** What the newest turn asked and nobody has answered; missing where nothing is chosen of it. */
  questions?: ClarificationQuestion[];
}

export type Delivery =
  | { delivery: "job"; turnId: string; turnNumber: number }
  | { delivery: "queued"; queuedMessageId: string };

type DeliveryDecision = Decision<SessionState, Delivery, SessionEffect>;

/** Decides a send (Part 1, "Delivery values of a send" and "What the session needs"). */
export function send(state: SessionState, command: SendCommand, facts: SendFacts, now: number): DeliveryDecision {
  const changed = checkArrival(state, command.seen, command.author);
  if (changed) return changed;
  const opened = openFor(state, command.author, facts);
  if (isRefusal(opened)) return opened;
  // A turn that runs has no question yet: who chose an option came after somebody else's answer.
  const answers = chooseOptions(facts.questions ?? [], command.answers ?? []);
  if (isRefusal(answers)) return answers;
  const { messageId, turnId, author, model } = command;
  const body = answers.length === 0 ? command.body : withAnswers(command.body, answers);
  if (isUnfinished(opened.turn)) {
    const message = { ...body, id: messageId, author, version: 1, editing: null, createdAt: now };
    const queued = enqueue(opened, message);
    if (isRefusal(queued)) return queued;
    return decided(queued, { delivery: "queued", queuedMessageId: messageId }, [{ type: "index-session" }]);
  }
  if (facts.runningTurnWasStopped) return refuse("JOB_STOPPED");
  const need = checkSandbox(facts);
  if (need) return need;
  const startsFresh = mayRetry(opened.turn, command.retriedTurnId);
  const opening = { turnId, messageId, body, author, model: turnModel(opened, model, facts), startsFresh };
  return asJob(startTurn({ ...opened, pause: null }, opening, now));
}

/** Sends a waiting message now, ahead of the rest, while nothing runs (decisions, "Turns and Up next"): its author alone. */
export function sendQueued(
  state: SessionState,
  command: { messageId: string; turnId: string; by: Actor },
  facts: DeliveryFacts & QueuedFacts,
  now: number,
): DeliveryDecision {
  const { messageId, turnId, by } = command;
  const message = queuedMessage(state, messageId, { action: "up-next.change", by }, facts);
  if (isRefusal(message)) return message;
  if (isUnfinished(state.turn)) return refuse("JOB_IN_PROGRESS", "A turn is running. The message goes when it ends.");
  const opened = openFor(state, message.author, facts);
  if (isRefusal(opened)) return opened;
  const need = checkSandbox(facts);
  if (need) return need;
  return asJob(
    startQueued({ ...opened, pause: null }, message, { turnId, model: turnModel(opened, null, facts) }, now),
  );
}

function withAnswers(body: MessageBody, answers: ChosenOption[]): MessageBody {
  return { ...body, context: { ...body.context, answers } };
}

function asJob({ state, effects }: { state: SessionState; effects: SessionEffect[] }): DeliveryDecision {
  const { id: turnId = "", number: turnNumber = 0 } = state.turn ?? {};
  return decided(state, { delivery: "job", turnId, turnNumber }, effects);
}

function turnModel({ session }: SessionState, asked: string | null, facts: DeliveryFacts): string | null {
  const { assigneeDefaultModel: assigneeDefault, workspaceDefaultModel: workspaceDefault } = facts;
  return modelOfTurn({ asked, current: session.model, assigneeDefault, workspaceDefault }, facts);
}

/** A turn whose conversation grew too long is retried by a fresh agent, while it is the newest (Part 1, "Send body"). */
function mayRetry(turn: Turn | null, retriedTurnId: string | null): boolean {
  return turn !== null && turn.id === retriedTurnId && turn.errorCode === "context_window_exceeded";
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
  const { session } = state;
  switch (session.status) {
    case "active":
      return session.branch === null ? refuse("BAD_REQUEST", "This session has no branch yet.") : state;
    case "under-review":
      if (author.kind !== "member") return refuse("SESSION_UNDER_REVIEW");
      return {
        ...state,
        session: { ...session, status: "active", prState: stateAfter(pullRequest, session) },
        // Its reason is over. Where a turn still runs, the message would otherwise wait on after that turn's end.
        pause: state.pause?.reason === "under_review" ? null : state.pause,
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
