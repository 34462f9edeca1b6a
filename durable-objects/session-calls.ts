// The words of the calls on a session object: what goes in with a message, and what comes out of a beginning.
import type { Decision } from "../src/rules/decision.ts";
import type { Delivery, SendCommand } from "../src/rules/delivery.ts";
import type { SessionEffect } from "../src/rules/effect.ts";
import type { ModelCircumstances } from "../src/rules/model.ts";
import type { SessionState } from "../src/rules/session.ts";
import type { Shell } from "./shell.ts";

/** A send as a route hands it over; the object draws the ids. */
export type SendOrder = Omit<SendCommand, "messageId" | "turnId">;

export interface FirstMessage {
  order: SendOrder;
  circumstances: ModelCircumstances;
}

export interface Begun {
  state: SessionState;
  delivery: Delivery | null;
}

/** The shell of a session; the state is null until it has begun. */
export type SessionShell = Shell<SessionState | null, SessionEffect>;

/** A rule on a session that exists. */
export type SessionRule<Answer> = (state: SessionState, now: number) => Decision<SessionState, Answer, SessionEffect>;
