// The Member Action of a change of a cron, which is recorded with the change.

import type { CronDecision, CronState } from "../../src/cron/rules/cron.ts";
import { type CronChange, cronActionEvent } from "../../src/cron/rules/events.ts";
import { newId } from "../../src/ids.ts";
import type { Actor } from "../../src/rules/access/actor.ts";
import { isRefusal } from "../../src/rules/refusal.ts";

/** A decision with the Member Action that it is; a change of nothing is none. */
export function told(
  decision: CronDecision<null>,
  before: CronState | null,
  change: CronChange,
  by: Actor,
): CronDecision<null> {
  if (isRefusal(decision) || decision.state === before) return decision;
  const { cron } = decision.state ?? before ?? {};
  const event = cron && cronActionEvent(newId(), cron, change, by);
  return event ? { ...decision, effects: [...decision.effects, { type: "record-events", events: [event] }] } : decision;
}
