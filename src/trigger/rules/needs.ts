// What a trigger needs of the code host: the permissions of the service's App, and the events that
// are sent to it. Without them the trigger never runs, or its comments are not written. And what it
// needs of the workspace: that it can run the trigger's model.
import { canRun, type ModelFacts } from "../../model/rules/choice.ts";
import { type Refusal, refuseField } from "../../rules/refusal.ts";
import { placeEvents, type Trigger } from "./trigger.ts";

type Level = "read" | "write";

/** What an installation of the App has granted, and what is sent because of it. */
export interface Granted {
  permissions: Readonly<Record<string, string>>;
  events: readonly string[];
}

/** Each event, with the permission that it depends on. */
const permissionOf: Record<string, string> = {
  check_run: "checks",
  issue_comment: "issues",
  issues: "issues",
  pull_request: "pull_requests",
  pull_request_review: "pull_requests",
  pull_request_review_comment: "pull_requests",
};

const eventsOf: Record<Trigger["on"], string[]> = {
  checks_failed: ["check_run", "pull_request"],
  review: ["pull_request_review"],
  mention: ["issue_comment", "pull_request_review", "pull_request_review_comment"],
  label: ["issues", "pull_request"],
  assigned: ["issues"],
  pull_request: ["pull_request"],
  http: [],
};

/** Each level includes the lower one. */
function hasLevel(granted: string | undefined, needed: Level): boolean {
  return granted !== undefined && (granted === needed || needed === "read");
}

/**
 * The permissions that a trigger lacks, and the events that are not sent although their permission
 * is granted. `webhooks` is for a service that can receive none; `granted` is null if unknown.
 */
export function listLacking(
  { on, answer }: Pick<Trigger, "on" | "answer">,
  { granted, receivesEvents }: { granted: Granted | null; receivesEvents: boolean },
): string[] {
  if (!receivesEvents && on !== "http") return ["webhooks"];
  if (granted === null) return [];
  const { permissions, events } = granted;
  const isAnswered = (on === "checks_failed" || placeEvents.includes(on)) && answer !== "none";
  const lacking = eventsOf[on].flatMap((event) => {
    const permission = permissionOf[event] ?? event;
    // Comments are written on issues and pull requests.
    const level: Level = isAnswered && permission !== "checks" ? "write" : "read";
    if (!hasLevel(permissions[permission], level)) return [permission];
    return events.includes(event) ? [] : [event];
  });
  return [...new Set(lacking)];
}

/**
 * Refuses a model that the workspace cannot run. A trigger that had it before may keep it, so that
 * the others can be changed while a provider is disconnected.
 */
export function checkModels(
  triggers: readonly Pick<Trigger, "id" | "do">[],
  known: readonly Pick<Trigger, "id" | "do">[],
  facts: ModelFacts,
): Refusal | null {
  const place = triggers.findIndex(({ id, do: { model } }) => {
    const before = known.find((one) => one.id === id)?.do.model ?? null;
    return model !== null && model !== before && !canRun(model, facts);
  });
  return place < 0 ? null : refuseField(`triggers.${place}.do.model`, "is no model that the workspace can run");
}
