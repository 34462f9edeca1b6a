// The words of the calls on a session object: what goes in with a message, and what comes out of a beginning.

import type { Actor } from "../../src/rules/access/actor.ts";
import type { QueuedEdit } from "../../src/rules/chat/queued-message.ts";
import type { Decision } from "../../src/rules/decision.ts";
import type { SessionEffect } from "../../src/rules/effect.ts";
import type { Delivery, DeliveryFacts, SendCommand } from "../../src/rules/session/send.ts";
import type { SessionState } from "../../src/rules/session/session.ts";
import type { SessionSummary } from "../../src/rules/session/summary.ts";

/** A send as a route hands it over; the object draws the ids. */
export type SendOrder = Omit<SendCommand, "messageId" | "turnId">;

/** What a route knows of the world when it asks for work; the object knows the catalog, and finds out what else it takes. */
export interface WorkCircumstances extends Omit<DeliveryFacts, "catalog" | "pullRequest"> {
  /** True when the plan allows only so many sandboxes, so that a wake has to claim a slot. */
  isSandboxLimited: boolean;
}

export interface Sent {
  delivery: Delivery;
  /** True when it is what an earlier request of the same key was answered, so that this one's files are nobody's. */
  isRepeat: boolean;
}

export interface FirstMessage {
  order: SendOrder;
  circumstances: WorkCircumstances;
}

/** What a start came to, as it stood then: whoever asks again gets the same. */
export interface Begun {
  session: SessionSummary;
  delivery: Delivery | null;
}

/** A change of one message that waits. */
export type UpNextChange =
  | ({ type: "edit" } & QueuedEdit)
  | { type: "delete"; messageId: string; by: Actor }
  | { type: "move"; messageId: string; by: Actor; toIndex: number };

/** A rule on a session that exists. */
export type SessionRule<Answer> = (
  state: SessionState,
  now: number,
) => Decision<SessionState | null, Answer, SessionEffect>;
