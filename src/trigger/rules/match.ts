// Which triggers an event starts: failed checks, a review, a mention, a label, or a pull request.
import type { LabeledIssue, ProposedPullRequest } from "../../code-host/rules/webhook.ts";
import type { ReviewEvent } from "../../session/rules/pull-request/review-event.ts";
import { isMatch } from "./pattern.ts";
import type { Trigger } from "./trigger.ts";

/** True if an enabled trigger is for these failed checks of a branch; null if they are unknown. */
export function isForChecks({ enabled, on, when }: Trigger, branch: string, failed: readonly string[] | null): boolean {
  if (!enabled || on !== "checks_failed") return false;
  return matchesFilter(when.branches, [branch]) && (failed === null || matchesFilter(when.checks, failed));
}

/** What an author wrote. An event that was stored by an earlier version may lack it. */
type Written = Pick<LabeledIssue, "association">;

/** True for an author of one of the associations; nobody has an unknown one. */
const isOfAuthor = ({ when }: Trigger, { association }: Written) =>
  when.associations.length === 0 || when.associations.some((one) => one === association?.toLowerCase());

/** True if an enabled trigger is for this review of a branch. */
export function isForReview(
  trigger: Trigger,
  branch: string,
  review: Pick<ReviewEvent, "state" | "association">,
): boolean {
  const { enabled, on, when } = trigger;
  if (!enabled || on !== "review" || !matchesFilter(when.branches, [branch])) return false;
  return isOfAuthor(trigger, review) && (when.reviews.length === 0 || when.reviews.includes(review.state));
}

/** True if an enabled trigger is for mentions in this comment. */
export function isForMention(trigger: Trigger, comment: Written): boolean {
  return trigger.enabled && trigger.on === "mention" && isOfAuthor(trigger, comment);
}

/** The labels of a trigger that names none. */
const usualLabels: Record<Trigger["do"]["action"], string | null> = {
  send: null,
  start: "switchyard:go",
  file: "switchyard",
};

/** True if an enabled trigger is for this label of an issue. Case does not matter there. */
export function isForLabel({ enabled, on, when, do: { action } }: Trigger, label: string): boolean {
  if (!enabled || on !== "label") return false;
  const labels = when.labels.length === 0 ? [usualLabels[action]] : when.labels;
  return labels.some((one) => one?.toLowerCase() === label.toLowerCase());
}

/** True if an enabled trigger is for the label or the assignment of an issue. */
export function isForIssue(trigger: Trigger, issue: LabeledIssue, ownNames: readonly string[]): boolean {
  const { enabled, on, when } = trigger;
  if (!isOfAuthor(trigger, issue)) return false;
  if (issue.assignee === undefined) return isForLabel(trigger, issue.label);
  if (!enabled || on !== "assigned") return false;
  const names = when.assignees.length === 0 ? ownNames : when.assignees;
  return names.some((name) => name.toLowerCase() === issue.assignee?.toLowerCase());
}

/** True if an enabled trigger is for what happened to this pull request, whatever it changes. */
export function isForPullRequest(trigger: Trigger, pull: ProposedPullRequest): boolean {
  const { enabled, on, when } = trigger;
  const { branch, label, labels } = pull;
  if (!isOfAuthor(trigger, pull) || !matchesFilter(when.branches, [branch])) return false;
  if (label !== null) return isForLabel(trigger, label);
  return enabled && on === "pull_request" && matchesFilter(when.labels, labels);
}

/** True if a trigger is for a change of these files. */
export function isForPaths({ when }: Trigger, paths: readonly string[]): boolean {
  return matchesFilter(when.paths, paths);
}

const matchesFilter = (patterns: readonly string[], texts: readonly string[]) =>
  patterns.length === 0 || patterns.some((pattern) => texts.some((text) => isMatch(pattern, text)));
