// Webhooks in words, and the choice of their events: everything, groups, or single kinds.
import type { Schemas } from "@switchyard/client";
import { type FieldChecks, isFlag, isText, isTexts } from "../ui/kept-changes.ts";

export type Webhook = Schemas["Webhook"];
export type WebhookFields = Pick<Webhook, "url" | "name" | "events" | "projects" | "includeText">;
/** The fields that a person changed, as they are sent. What others changed meanwhile stays. */
export const toChangedFields = ({ url, name, ...others }: Partial<WebhookFields>): Partial<WebhookFields> => ({
  ...others,
  ...(url !== undefined && { url: url.trim() }),
  ...(name !== undefined && { name: name.trim() }),
});

type EventType = Exclude<Schemas["WebhookEvent"]["type"], "webhook.test">;

export const webhookChecks: FieldChecks<WebhookFields> = {
  url: isText,
  name: isText,
  events: isTexts,
  projects: (value) => value === null || isTexts(value),
  includeText: isFlag,
};

const words: Record<EventType, string> = {
  "session.created": "created",
  "session.updated": "changed",
  "session.status_changed": "has another status",
  "session.deleted": "deleted",
  "job.started": "started",
  "job.awaiting_response": "waits for an answer",
  "job.completed": "ended",
  "job.failed": "failed",
  "job.cancelled": "stopped",
  "pull_request.opened": "opened",
  "pull_request.closed": "closed",
  "pull_request.merged": "merged",
  "pull_request.checks_failed": "checks failed",
  "pull_request.checks_passed": "checks passed",
  "pull_request.behind": "is behind its target branch",
  "pull_request.stale": "nothing happened for a while",
  "deploy.started": "started",
  "deploy.awaiting_user": "waits for an answer",
  "deploy.completed": "ended",
  "deploy.failed": "failed",
  "deploy.cancelled": "cancelled",
  "cron_run.succeeded": "succeeded",
  "cron_run.failed": "failed",
  "cron_run.cancelled": "cancelled",
  "cron_run.skipped": "did not start",
  "cron.created": "created",
  "cron.updated": "changed, paused or resumed",
  "cron.deleted": "deleted",
  "member.invited": "invited",
  "member.joined": "joined",
  "member.removed": "removed, or left",
  "member.role_changed": "has another role",
  "spend.limit_reached": "a spend limit was reached",
  "trigger.limited": "reached a limit",
  "webhook.disabled": "another one was disabled",
};

const groupTitles: Record<string, string> = {
  session: "Sessions",
  job: "Turns",
  pull_request: "Pull requests",
  deploy: "Deploys",
  cron_run: "Runs of crons",
  cron: "Crons",
  member: "Members",
  spend: "Spending",
  trigger: "Triggers",
  webhook: "Webhooks",
};

const groupOf = (type: string): string => type.slice(0, type.indexOf("."));

export interface EventGroup {
  pattern: string;
  title: string;
  types: [type: string, word: string][];
}

/** The groups of events, each with its kinds. */
export const eventGroups: readonly EventGroup[] = [
  ...Map.groupBy(Object.entries(words), ([type]) => groupOf(type)),
].map(([group, types]) => ({ pattern: `${group}.*`, title: groupTitles[group] ?? group, types }));

/** The patterns after a click on one of them. A group replaces its kinds. */
export function togglePattern(chosen: readonly string[], pattern: string): string[] {
  if (chosen.includes(pattern)) return chosen.filter((one) => one !== pattern);
  const isReplaced = (one: string) => pattern.endsWith(".*") && groupOf(one) === groupOf(pattern);
  return [...chosen.filter((one) => one !== "*" && !isReplaced(one)), pattern];
}

/** Which events a webhook gets, in a line. */
export function describePatterns(patterns: readonly string[]): string {
  if (patterns.includes("*")) return "Everything";
  const titles = eventGroups.flatMap(({ pattern, title, types }) => {
    if (patterns.includes(pattern)) return [title];
    const some = types.filter(([type]) => patterns.includes(type)).map(([, word]) => word);
    return some.length > 0 ? [`${title} (${some.join(", ")})`] : [];
  });
  return titles.join(", ");
}

const reasons: Record<NonNullable<Webhook["disabledReason"]>, string> = {
  by_hand: "disabled by hand",
  gone: "disabled: it answered that it is gone (410)",
  failing: "disabled: ten attempts failed",
  too_many_waiting: "disabled: too many deliveries waited",
};

type Tone = "good" | "bad" | "quiet";

/** The state of a webhook. */
export function describeState({ status, disabledReason }: Pick<Webhook, "status" | "disabledReason">): {
  tone: Tone;
  word: string;
} {
  if (status === "active") return { tone: "good", word: "active" };
  if (status === "failing") return { tone: "bad", word: "the last attempt failed" };
  const isByHand = disabledReason === null || disabledReason === "by_hand";
  return { tone: isByHand ? "quiet" : "bad", word: reasons[disabledReason ?? "by_hand"] };
}

/** How many events wait for a webhook. */
export const describeWaiting = (count: number): string => (count === 1 ? "1 event waits" : `${count} events wait`);

/** The result of a delivery, with the answer that it got. */
export function describeDelivery({
  status,
  answerStatus,
  attempts,
}: Pick<Schemas["WebhookDeliveryRow"], "status" | "answerStatus" | "attempts">): { tone: Tone; word: string } {
  const answer = answerStatus === null ? "no answer" : `answer ${answerStatus}`;
  const tries = attempts > 1 ? `, ${attempts} attempts` : "";
  switch (status) {
    case "succeeded":
      return { tone: "good", word: `${answer}${tries}` };
    case "failed":
      return { tone: "bad", word: `failed, ${answer}${tries}` };
    case "dropped":
      return { tone: "bad", word: "dropped, because the webhook was disabled" };
    case "waiting":
      return { tone: "quiet", word: attempts === 0 ? "waits" : `waits, ${answer}${tries}` };
  }
}

/** How many deliveries are sent again, for the person who asked for it. */
export function describeSentAgain(count: number): string {
  if (count === 0) return "Nothing to send again: tests are not repeated.";
  return count === 1 ? "1 delivery is sent again." : `${count} deliveries are sent again.`;
}

const fieldNames = { url: "The address", name: "The name", events: "The events", projects: "The projects" };

export interface FieldMistake {
  field: keyof typeof fieldNames;
  sentence: string;
}

/** The field that a refusal is about, with its name on the page; null for any other refusal. */
export function findFieldMistake(message: string): FieldMistake | null {
  const [, field = "", item, rest = ""] = /^(\w+)(\.\d+)? (.+)$/s.exec(message) ?? [];
  if (!isFieldName(field)) return null;
  const name = fieldNames[field];
  return { field, sentence: `${item === undefined ? name : `One of ${name.toLowerCase()}`} ${rest}` };
}

const isFieldName = (field: string): field is FieldMistake["field"] => Object.hasOwn(fieldNames, field);

/** A body of JSON with line breaks; any other text as it is. */
export function formatBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
