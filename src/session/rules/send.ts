// A send: a message to a session. The session's status decides whether it is accepted; the chat
// delivers it. What a message does to a session Under Review is in `leave-under-review.ts`.
import { type Actor, type Author, getAuthor } from "../../access/rules/actor.ts";
import type { ClarificationQuestion } from "../../chat/rules/block.ts";
import type { ChatState } from "../../chat/rules/chat.ts";
import { isEmptyMessage } from "../../chat/rules/message.ts";
import type { QueuedFacts } from "../../chat/rules/queue.ts";
import { resumeQueue as resumeChat } from "../../chat/rules/queue-pause.ts";
import {
  type Delivery,
  type DeliveryCommand,
  getMessageToSend,
  sendMessage,
  sendQueuedMessage,
} from "../../chat/rules/send.ts";
import { hasStartedTurn, isUnfinished } from "../../chat/rules/turn.ts";
import { findModelOfTurn, type ModelFacts, type TurnModelFacts } from "../../model/rules/choice.ts";
import type { Decision } from "../../rules/decision.ts";
import type { SessionEffect } from "../../rules/effect.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../../rules/refusal.ts";
import { allowanceUsedUp } from "../../workspace/rules/billing-block.ts";
import { refuseSandbox } from "../../workspace/rules/billing-plan.ts";
import type { Acquired } from "./acquired.ts";
import { checkAskedModel, checkAttempts, checkModel, countAttempt, withNewest } from "./automatic.ts";
import { fromChatDecision } from "./chat-decision.ts";
import { listTitleEffects } from "./generated-title.ts";
import { endReview, type ReviewFacts } from "./leave-under-review.ts";
import { checkNoCommand } from "./runtime-command.ts";
import type { Assignee, Session, SessionState } from "./session.ts";
import { checkSpend, type SpendFacts } from "./spend-limit.ts";
import { isOpen } from "./status.ts";
import { checkVersion, type SessionVersion } from "./version.ts";

export interface SendCommand extends DeliveryCommand {
  /** The running turn that the sender saw. */
  runningTurnId: string | null;
  /**
   * The session's version when the message was sent, if its upload may have taken long; otherwise
   * null.
   */
  seen: SessionVersion | null;
}

/** The facts besides the session's own state. */
export interface DeliveryFacts extends ModelFacts, TurnModelFacts, SandboxFacts, SpendFacts, ReviewFacts {
  /** True if the workspace has models write titles. */
  generatesTitles: boolean;
  /** Null in the plan of the work. */
  acquired: Pick<Acquired, "pullRequest" | "slot"> | null;
}

export interface SendFacts extends DeliveryFacts {
  /** True if the turn `runningTurnId` has ended by a stop. */
  runningTurnWasStopped: boolean;
  /** The unanswered questions of the newest turn; missing if the send has no answers. */
  questions?: ClarificationQuestion[];
  /** The unresolved ones of the message's review comments; missing if it cannot have any. */
  reviewComments?: readonly unknown[];
}

type DeliveryDecision = Decision<SessionState, Delivery, SessionEffect>;

/** Decides a send (Part 1, "Delivery values of a send" and "What the session needs"). */
export function send(state: SessionState, command: SendCommand, facts: SendFacts, now: number): DeliveryDecision {
  const author = getAuthor(command.by);
  const refused =
    checkNotItself(state.session, command.by) ??
    checkVersion(state, command.seen, command.by) ??
    checkAttempts(state, command.by) ??
    checkAskedModel(command.model, command.by, facts);
  if (refused) return refused;
  const opened = withStartFor(state, { by: command.by, author }, facts, now);
  if (isRefusal(opened)) return opened;
  const { body, answers = [] } = command;
  const { content, attachments } = body;
  if (isEmptyMessage({ content, attachments, answers, reviewComments: facts.reviewComments ?? [] }))
    return refuseField("content", "must not be empty");
  // It would wait in an Up next that the stop has paused.
  if (isBeingStopped(opened.chat, command.runningTurnId)) return refuse("JOB_STOPPED");
  const model = turnModel(opened.chat, command.model, facts);
  const checkStart = () =>
    facts.runningTurnWasStopped
      ? refuse("JOB_STOPPED")
      : (checkModel(model, command.by, facts) ?? checkSpend(opened.session, model, facts) ?? checkSandbox(facts));
  const chat = withNewest(opened.chat, command.by);
  const sent = fromChatDecision(
    opened,
    sendMessage(chat, { ...command, model }, { questions: facts.questions, checkStart }, now),
    now,
  );
  if (isRefusal(sent)) return sent;
  const { by } = command;
  const counted = countAttempt(sent.state, sent.result, { by, before: state.session, acquired: facts.acquired });
  const titled = facts.generatesTitles ? listTitleEffects(state, counted) : [];
  return { ...sent, state: counted, effects: [...sent.effects, ...titled] };
}

/**
 * Sends a waiting message now, ahead of the others. Only for its author, while no turn runs
 * (decisions, "Turns and Up next").
 */
export function sendQueued(
  state: SessionState,
  command: { messageId: string; turnId: string; by: Actor },
  facts: DeliveryFacts & QueuedFacts,
  now: number,
): DeliveryDecision {
  const message = checkNotItself(state.session, command.by) ?? getMessageToSend(state.chat, command, facts);
  if (isRefusal(message)) return message;
  const opened = withStartFor(state, { by: command.by, author: message.author }, facts, now);
  if (isRefusal(opened)) return opened;
  const model = turnModel(opened.chat, null, facts);
  const need = checkSpend(opened.session, model, facts) ?? checkSandbox(facts);
  if (need) return need;
  return fromChatDecision(opened, sendQueuedMessage(opened.chat, message, { turnId: command.turnId, model }, now), now);
}

/** True if the running turn is this one, and a stop was requested. */
function isBeingStopped({ turn }: ChatState, turnId: string | null): boolean {
  return isUnfinished(turn) && turn.id === turnId && turn.stopRequestedAt !== null;
}

function turnModel({ model: current }: ChatState, asked: string | null, facts: DeliveryFacts): string | null {
  const { assigneeDefaultModel: assigneeDefault, workspaceDefaultModel: workspaceDefault } = facts;
  return findModelOfTurn({ asked, current, assigneeDefault, workspaceDefault }, facts);
}

/** The session after it has accepted a message of this author, or the refusal. */
function withStartFor(
  state: SessionState,
  { by, author }: { by: Actor; author: Author },
  facts: DeliveryFacts,
  now: number,
): SessionState | Refusal {
  const taken = withStartForMessages(state, by, facts, now);
  if (isRefusal(taken)) return taken;
  if (facts.isBlockedOnBilling) return allowanceUsedUp;
  return checkNoCommand(taken.session) ?? assignTo(taken, author);
}

/**
 * A member's message ends a review; other senders are refused. Ended and Backlog sessions refuse
 * every message.
 */
function withStartForMessages(
  state: SessionState,
  by: Actor,
  facts: DeliveryFacts,
  now: number,
): SessionState | Refusal {
  const { session } = state;
  switch (session.status) {
    case "active":
      return session.branch === null ? refuse("BAD_REQUEST", "This session has no branch yet.") : state;
    case "under-review":
      return endReview(state, by, facts, now);
    case "backlog":
      return refuse("BAD_REQUEST", "This session is in the Backlog. Activate it first, then send.");
    case "completed":
    case "archived":
      return refuse("BAD_REQUEST", "This session has ended and takes no new messages. Create another one.");
  }
}

/** Sending into an unassigned session makes the sender its Assignee (Part 1, "Send body"). */
function assignTo(state: SessionState, author: Author): SessionState {
  if (state.session.assignee !== null || author.kind !== "member") return state;
  const { userId, name, imageUrl } = author;
  const assignee: Assignee = { kind: "member", userId, name, imageUrl };
  return { ...state, session: { ...state.session, assignee } };
}

/**
 * Resumes a session's paused Up next, and sends its top message if no turn runs and the session can
 * run one. A member's resume ends a review.
 */
export function resumeQueue(
  state: SessionState,
  command: { turnId: string; modelIfNone?: string | null; by: Actor },
  facts: SandboxFacts & SpendFacts & ReviewFacts,
  now: number,
): Decision<SessionState, null, SessionEffect> {
  const itself = checkNotItself(state.session, command.by);
  if (itself) return itself;
  const { status } = state.session;
  if (!isOpen(status)) {
    return refuse("BAD_REQUEST", `Up next can be resumed only while the session is active, and this one is ${status}.`);
  }
  const open = endReview(state, command.by, facts, now);
  if (isRefusal(open)) return open;
  const busy = checkNoCommand(open.session);
  if (busy) return busy;
  const resumed = resumeChat(open.chat, command, now);
  const isStart = hasStartedTurn(open.chat, resumed.state);
  if (isStart && facts.isBlockedOnBilling) return allowanceUsedUp;
  // The turn waits for a starting sandbox instead of being refused, because its message was
  // accepted earlier.
  const need = isStart && facts.sandbox !== "starting" ? checkSandbox(facts) : null;
  const overspent = isStart ? checkSpend(open.session, resumed.state.turn?.model ?? null, facts) : null;
  return overspent ?? need ?? fromChatDecision(open, resumed, now);
}

/** The facts about the sandbox when a message arrives (Part 1, "What the session needs"). */
export interface SandboxFacts {
  /** Null for a sandbox that is paused or was never created. */
  sandbox: "starting" | "running" | null;
  /** True while a Deploy that a member started delays the sessions of the project. */
  isHeldByDeploy: boolean;
  isBlockedOnBilling: boolean;
  /** Null in the plan of the work, which assumes that there is a slot. */
  acquired: Pick<Acquired, "slot"> | null;
}

/**
 * Refuses to wake a sandbox while a member deploys the project. A running sandbox continues to
 * work.
 */
export function checkWake({
  sandbox,
  isHeldByDeploy,
}: Pick<SandboxFacts, "sandbox" | "isHeldByDeploy">): Refusal | null {
  if (sandbox !== null || !isHeldByDeploy) return null;
  return refuse("DEPLOY_ACTIVE", "The project is being deployed. Try again when that is done.");
}

/** Refuses a turn that the sandbox could not run. */
function checkSandbox(facts: SandboxFacts): Refusal | null {
  const { slot } = facts.acquired ?? { slot: "claimed" };
  switch (facts.sandbox) {
    case "running":
      return null;
    case "starting":
      return refuse("SANDBOX_STARTING");
    case null:
      return checkWake(facts) ?? (typeof slot === "string" ? null : refuseSandbox(slot.full));
  }
}

/** An agent may not send to its own session (decisions, "Skills and people"), by any route. */
export function checkNotItself({ id }: Session, by: Actor): Refusal | null {
  if (by.type !== "session-agent" || by.sessionId !== id) return null;
  return refuse(
    "FORBIDDEN",
    "An agent may not send to its own session. Say it in your answer, or ask the user with the ask tool.",
  );
}
