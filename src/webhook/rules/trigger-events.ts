// The events of limits, for webhooks: those that a trigger met, and the spend limits.
import type { SkipReason } from "../../trigger/rules/outcome.ts";
import type { Trigger } from "../../trigger/rules/trigger.ts";
import { createEventId, type WebhookEvent } from "./event.ts";

/** The reasons that are limits, each with the variant of its event's id. */
const variants: Partial<Record<SkipReason, number>> = { cap_day: 0, cap_attempts: 1, cap_spend: 2 };
const spendVariant = 3;

/** True for the reason of a run that a limit stopped. */
export const isLimit = (reason: SkipReason | null): reason is SkipReason => reason !== null && reason in variants;

interface Limited {
  reason: SkipReason | null;
  /** The limit of the trigger's own day that was reached, in US dollars; null for another one. */
  reachedUsd: number | null;
  /** When the day of the workspace began. */
  day: number;
  at: number;
}

/**
 * The events of a run that a limit stopped. Their ids are those of the trigger, the reason and the
 * day, and a webhook takes an id once.
 */
export function listLimitEvents(
  { id: triggerId, name }: Pick<Trigger, "id" | "name">,
  { sessionId, ...of }: { workspaceId: string; projectId: string; sessionId: string },
  { reason, reachedUsd, day, at }: Limited,
): WebhookEvent[] {
  if (!isLimit(reason)) return [];
  const variant = variants[reason] ?? 0;
  const about = { at, ...of, by: null, text: { title: name } };
  const data = { triggerId, reason, sessionId: sessionId === "" ? null : sessionId };
  const limited: WebhookEvent = { ...about, id: createEventId(triggerId, day, variant), type: "trigger.limited", data };
  if (reachedUsd === null) return [limited];
  const spent = { limit: "trigger", triggerId, limitUsd: reachedUsd };
  return [
    limited,
    { ...about, id: createEventId(triggerId, day, spendVariant), type: "spend.limit_reached", data: spent },
  ];
}

/** The event of a workspace whose limit of the month is reached. */
export function createSpendEvent(id: string, workspaceId: string, at: number): WebhookEvent {
  const about = { id, at, workspaceId, projectId: null, by: null, text: null };
  return { ...about, type: "spend.limit_reached", data: { limit: "workspace" } };
}
