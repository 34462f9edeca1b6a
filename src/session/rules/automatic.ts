// Automatic messages: a trigger sends them, and no person asked for them. They are counted until a
// person writes. A session that one of them took out of review goes back Under Review.
import type { Actor, TriggerActor } from "../../access/rules/actor.ts";
import type { ChatState } from "../../chat/rules/chat.ts";
import type { Delivery } from "../../chat/rules/send.ts";
import type { Turn } from "../../chat/rules/turn.ts";
import { canRun, type ModelFacts } from "../../model/rules/choice.ts";
import { triggerWaitingMax } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
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
}

const none: Automatic = { attempts: 0, review: null };

/** True once the automatic messages of a session are used up, so that a person has to look. */
export function isOutOfAttempts({ automatic }: Session, attemptsMax: number): boolean {
  return (automatic?.attempts ?? 0) >= attemptsMax;
}

/** True for a trigger without a member who asked for its message. */
const isUnasked = (by: Actor): by is TriggerActor => by.type === "trigger" && by.login === null;

/** Refuses an automatic message that is one too many. Nothing is checked for other senders. */
export function checkAttempts({ session, chat }: SessionState, by: Actor): Refusal | null {
  if (!isUnasked(by)) return null;
  if (isOutOfAttempts(session, by.attemptsMax))
    return refuse("CONFLICT", "The automatic attempts are used up until a person writes.");
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
  const { attempts, review, isUsedUp: _, ...kept } = session.automatic ?? none;
  const asCounted = (automatic: Automatic) => ({ session: { ...session, automatic }, chat });
  switch (by.type) {
    case "trigger": {
      const isResumed = before.status === "under-review" && delivery.delivery === "job";
      const marksReady = acquired?.pullRequest === "draft";
      return asCounted({
        ...kept,
        attempts: isUnasked(by) ? attempts + 1 : 0,
        review: isResumed && by.returnsToReview ? { turnId: delivery.turnId, marksReady } : review,
      });
    }
    case "member":
    case "lead":
    case "client-agent":
    case "relay":
      return session.automatic === null ? { session, chat } : asCounted({ ...none, ...kept });
    default:
      return { session, chat };
  }
}

/**
 * The end of the turn that took a session out of review. `isBack` is true if the session goes back
 * Under Review: the turn is complete, and nothing waits.
 */
export function endAutomaticTurn(
  { session, chat }: SessionState,
  ended: Turn,
): { session: Session; isBack: boolean; marksReady: boolean } {
  const review = session.automatic?.review ?? null;
  if (session.automatic === null || review?.turnId !== ended.id) return { session, isBack: false, marksReady: false };
  const isBack = session.status === "active" && ended.status === "completed" && chat.upNext.length === 0;
  const { marksReady } = review;
  return {
    session: { ...session, automatic: { ...session.automatic, review: null } },
    isBack,
    marksReady: isBack && marksReady,
  };
}
