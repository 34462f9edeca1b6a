// A trial of a trigger: what an event would make it do, and why it would do nothing.
import type { CheckEvent } from "../../session/rules/pull-request/code-host-event.ts";
import type { SkipReason } from "./outcome.ts";
import type { Place } from "./plan.ts";
import type { Trigger } from "./trigger.ts";

/** Why a trigger would do nothing: it does not match, or its run would be skipped. */
type TrialReason =
  | "disabled"
  | "other_event"
  | "ignored"
  | "other_repository"
  | "not_a_member"
  | "invalid_body"
  | SkipReason;

export interface Trial {
  triggerId: string;
  /** What it would do; with a reason it does not. */
  action: Trigger["do"]["action"];
  /** False if no run would be recorded. */
  matches: boolean;
  reason: TrialReason | null;
  /** What the comment shows that it would write. */
  answer: Trigger["answer"];
  place: Place | null;
  cause: string | null;
  sessionId: string | null;
}

/** A trial that has not found anything yet. */
function createTrial({ id, do: { action } }: Trigger): Trial {
  const nothing = { reason: null, answer: "none", place: null, cause: null, sessionId: null } as const;
  return { triggerId: id, action, matches: false, ...nothing };
}

/** The trial of a trigger that does not match. */
export function createMismatch(trigger: Trigger, reason: TrialReason): Trial {
  return { ...createTrial(trigger), reason };
}

/** The trial of a trigger that matches. With a reason it would be skipped. */
export function createMatch(trigger: Trigger, found: Omit<Trial, "triggerId" | "matches" | "answer">): Trial {
  const { reason, place } = found;
  const answer = reason === null && place?.number !== undefined ? trigger.answer : "none";
  return { ...createTrial(trigger), ...found, answer, matches: true };
}

/** Why a trigger is not for an event of this kind; null if it is. */
export function findMismatch(
  trigger: Trigger,
  on: Trigger["on"] | null,
  isFor: (trigger: Trigger) => boolean,
): TrialReason | null {
  if (!trigger.enabled) return "disabled";
  if (trigger.on !== on) return "other_event";
  return isFor(trigger) ? null : "filters";
}

/**
 * The names of an event's checks, as triggers filter them; null for a suite, whose checks only the
 * code host knows.
 */
export function findCheckNames({ check }: Pick<CheckEvent, "check">): string[] | null {
  return check.startsWith("suite ") ? null : [check.replace(/^(?:run \S+|status) /, "")];
}
