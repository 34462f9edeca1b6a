// Automatic messages: a trigger sends them, and no person asked for them. They are counted until a
// person writes, and so is what they cost in a session that a trigger started. A session that one
// of them took out of review goes back Under Review.
import type { Actor, Author, TriggerActor } from "../../access/rules/actor.ts";
import type { ChatState } from "../../chat/rules/chat.ts";
import type { Delivery } from "../../chat/rules/send.ts";
import { isUnfinished, type Turn } from "../../chat/rules/turn.ts";
import { canRun, type ModelFacts } from "../../model/rules/choice.ts";
import { triggerWaitingMax } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { isSpent } from "../../usage/rules/spend-limit.ts";
import type { Acquired } from "./acquired.ts";
import type { Session, SessionState } from "./session.ts";

export interface Automatic {
  /** How many automatic messages there were since a person last wrote. */
  attempts: number;
  /** The turn after which the session goes back Under Review; null without one. */
  review: { turnId: string; marksReady: boolean } | null;
  /** True once a member has switched automatic repairs off. */
  isOff?: boolean;
  /** True once comments at the code host show the state of the session. */
  answers?: true;
  /** True once checks failed after the last attempt, until a person writes. */
  isUsedUp?: true;
  /**
   * What turns that no person sent may cost until a person writes, in US dollars; missing in a
   * session that no trigger started.
   */
  limitUsd?: number;
  /** What they have cost since a person last wrote, without the running one. */
  spentNanoUsd?: number;
}

const none: Automatic = { attempts: 0, review: null };

/** What a new session has of it: the limit of the trigger that starts it. */
export const createAutomatic = (by: Actor): Automatic | null =>
  by.type === "trigger" ? { ...none, limitUsd: by.sessionLimitUsd } : null;

/** True once the automatic messages of a session are used up, so that a person has to look. */
export function isOutOfAttempts({ automatic }: Session, attemptsMax: number): boolean {
  return (automatic?.attempts ?? 0) >= attemptsMax;
}

/** True for a trigger without a member who asked for its message. */
const isUnasked = (by: Actor): by is TriggerActor => by.type === "trigger" && by.login === null;

/** True for the sender of a turn that no person sent or asked for. */
const isAutomatic = (sender: Author): boolean =>
  sender.kind === "trigger" ? sender.login === null : sender.kind !== "member" && sender.kind !== "relay";

/** What the running turn has cost so far, if no person sent it. */
const getRunningCost = (turn: Turn | null): number =>
  isUnfinished(turn) && isAutomatic(turn.sender) ? (turn.usage?.nanoUsd ?? 0) : 0;

/** The session's limit. The trigger that started it may have another one by now. */
const findLimit = ({ filedBy, automatic }: Session, by: TriggerActor) =>
  filedBy?.kind === "trigger" && filedBy.triggerId === by.triggerId ? by.sessionLimitUsd : automatic?.limitUsd;

const overspent = refuse(
  "CREDIT_LIMIT_REACHED",
  "The session's turns that no person sent have cost as much as its trigger allows. They continue once a person writes.",
);

/** True once no automatic message starts a turn in this session, until a person writes. */
export function isOverspent({ automatic }: Session): boolean {
  return isSpent({ limitUsd: automatic?.limitUsd ?? null, spentNanoUsd: automatic?.spentNanoUsd ?? 0 });
}

const isUnaskedAuthor = (author: Author) => author.kind === "trigger" && isAutomatic(author);

/** Refuses to start the turn of an automatic message that waited while the limit was reached. */
export function checkAutomaticTurn(session: Session, { sender }: Turn): Refusal | null {
  return isUnaskedAuthor(sender) && isOverspent(session) ? overspent : null;
}

/** The chat in which no automatic message that cannot start keeps others waiting. */
export function withAutomaticLast({ session, chat }: SessionState): ChatState {
  if (!isOverspent(session)) return chat;
  const isLast = ({ author }: ChatState["upNext"][number]) => isUnaskedAuthor(author);
  return { ...chat, upNext: chat.upNext.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other))) };
}

/** Refuses an automatic message beyond a limit. Nothing is checked for other senders. */
export function checkAttempts({ session, chat }: SessionState, by: Actor): Refusal | null {
  if (!isUnasked(by)) return null;
  if (isOutOfAttempts(session, by.attemptsMax))
    return refuse("CONFLICT", "The automatic attempts are used up until a person writes.");
  const spentNanoUsd = (session.automatic?.spentNanoUsd ?? 0) + getRunningCost(chat.turn);
  if (isSpent({ limitUsd: findLimit(session, by) ?? null, spentNanoUsd })) return overspent;
  const waiting = chat.upNext.filter((message) => message.author.kind === "trigger" && !isReplaced(message, by));
  return waiting.length >= triggerWaitingMax ? refuse("QUEUE_FULL") : null;
}

/** The workspace pays for triggers, and it cannot run the session's model. */
export const noCredential = refuse("BAD_REQUEST", "The workspace has no credential for the session's model.");

/**
 * Refuses an automatic message on a model that the workspace cannot run. Another model would be a
 * decision that nobody made.
 */
export function checkModel(model: string | null, by: Actor, facts: ModelFacts): Refusal | null {
  if (by.type !== "trigger" || (model !== null && canRun(model, facts))) return null;
  return noCredential;
}

/**
 * Refuses a trigger's message that asks for a model which the workspace cannot run. A person's
 * message falls back to the session's model (Part 1, "Send body").
 */
export function checkAskedModel(asked: string | null, by: Actor, facts: ModelFacts): Refusal | null {
  return by.type === "trigger" && asked !== null && !canRun(asked, facts) ? noCredential : null;
}

/**
 * True for a waiting message that the trigger's new message makes out of date. Only failed checks
 * report the same thing again.
 */
const isReplaced = ({ author }: ChatState["upNext"][number], by: Actor) =>
  author.kind === "trigger" && isUnasked(by) && by.replacesWaiting && author.triggerId === by.triggerId;

/** The chat without the waiting messages of this trigger that are out of date. */
export function withNewest(chat: ChatState, by: Actor): ChatState {
  return chat.upNext.some((message) => isReplaced(message, by))
    ? { ...chat, upNext: chat.upNext.filter((message) => !isReplaced(message, by)) }
    : chat;
}

/** Switches automatic repairs of a session off or on. On, all attempts are left. */
export function updateAutofix(state: SessionState, isOff: boolean): SessionState {
  const { isUsedUp: _, ...kept } = state.session.automatic ?? none;
  const automatic = { ...kept, attempts: 0, isOff };
  return { ...state, session: { ...state.session, automatic } };
}

/** Records that comments at the code host show the state of the session from now on. */
export function recordAnswers(state: SessionState, changes: Pick<Automatic, "isUsedUp"> = {}): SessionState {
  const automatic: Automatic = { ...(state.session.automatic ?? none), answers: true, ...changes };
  return { ...state, session: { ...state.session, automatic } };
}

/** Counts a message by its sender. A person's message starts the count again. */
export function countAttempt(
  { session, chat }: SessionState,
  delivery: Delivery,
  { by, before, acquired }: { by: Actor; before: Session; acquired: Pick<Acquired, "pullRequest"> | null },
): SessionState {
  const { attempts, review, isUsedUp: _, spentNanoUsd = 0, ...kept } = session.automatic ?? none;
  const asCounted = (automatic: Automatic) => ({ session: { ...session, automatic }, chat });
  // All of a running turn's cost is added at its end.
  const sinceNow = 0 - getRunningCost(chat.turn);
  switch (by.type) {
    case "trigger": {
      const isResumed = before.status === "under-review" && delivery.delivery === "job";
      const marksReady = acquired?.pullRequest === "draft";
      const limitUsd = findLimit(session, by);
      return asCounted({
        ...kept,
        ...(limitUsd === undefined ? {} : { limitUsd, spentNanoUsd: isUnasked(by) ? spentNanoUsd : sinceNow }),
        attempts: isUnasked(by) ? attempts + 1 : 0,
        review: isResumed && by.returnsToReview ? { turnId: delivery.turnId, marksReady } : review,
      });
    }
    case "member":
    case "lead":
    case "client-agent":
    case "relay":
      if (session.automatic === null) return { session, chat };
      return asCounted({ ...none, ...kept, ...(kept.limitUsd === undefined ? {} : { spentNanoUsd: sinceNow }) });
    default:
      return { session, chat };
  }
}

/**
 * The end of the turn that took a session out of review. `isBack` is true if the session goes back
 * Under Review: the turn is complete, and nothing waits. `review` is for the turn of a message that
 * waits; null if that turn inherits none.
 */
export function endAutomaticTurn(
  { session: before, chat }: SessionState,
  ended: Turn,
): { session: Session; isBack: boolean; marksReady: boolean; review: Automatic["review"] } {
  const session = withCost(before, ended);
  const review = session.automatic?.review ?? null;
  if (session.automatic === null || review?.turnId !== ended.id)
    return { session, isBack: false, marksReady: false, review: null };
  const isDone = session.status === "active" && ended.status === "completed";
  const isBack = isDone && chat.upNext.length === 0;
  return {
    session: { ...session, automatic: { ...session.automatic, review: null } },
    isBack,
    marksReady: isBack && review.marksReady,
    review: isDone && !isBack ? review : null,
  };
}

/**
 * The session whose new turn ends the review in place of the turn before. After a message of a
 * person, that person decides when the work is ready.
 */
export function withReviewOf(state: SessionState, turn: Turn | null, review: Automatic["review"]): SessionState {
  const { automatic } = state.session;
  if (review === null || automatic === null || !isUnfinished(turn)) return state;
  if (turn.sender.kind === "member" || turn.sender.kind === "relay") return state;
  return {
    ...state,
    session: { ...state.session, automatic: { ...automatic, review: { ...review, turnId: turn.id } } },
  };
}

/** The session with the cost of an ended turn, if no person sent that turn. */
function withCost(session: Session, { sender, usage }: Turn): Session {
  const { automatic } = session;
  if (automatic?.limitUsd === undefined || !usage?.nanoUsd || !isAutomatic(sender)) return session;
  return { ...session, automatic: { ...automatic, spentNanoUsd: (automatic.spentNanoUsd ?? 0) + usage.nanoUsd } };
}
