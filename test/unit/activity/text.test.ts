import { expect, it } from "vitest";
import { activityKinds } from "../../../src/activity/rules/activity.ts";
import { formatActivity } from "../../../src/activity/rules/text.ts";

const told = (kind: (typeof activityKinds)[number], payload: Record<string, unknown> = {}) =>
  formatActivity({ kind, actorName: "Ada", subject: "Fix the board", payload });

it.each<[string, Parameters<typeof told>]>([
  ["Ada started “Fix the board”", ["session_started"]],
  ["Ada assigned “Fix the board” to Bob", ["session_assigned", { assignee: { kind: "member", name: "Bob" } }]],
  ["Ada assigned “Fix the board” to the service", ["session_assigned", { assignee: { kind: "service" } }]],
  ["Ada cleared the Assignee of “Fix the board”", ["session_assigned", { assignee: null }]],
  [
    "Ada moved “Fix the board” from Under Review to Active",
    ["session_status_changed", { from: "under-review", to: "active" }],
  ],
  [
    "Mo merged pull request #7 of “Fix the board”",
    ["pr_merged", { pullRequestNumber: 7, mergedBy: { login: "mo-1", userId: "usr_mo", name: "Mo" } }],
  ],
  [
    "mo-1 merged pull request #7 of “Fix the board”",
    ["pr_merged", { pullRequestNumber: 7, mergedBy: { login: "mo-1", userId: null, name: null } }],
  ],
  ["Pull request #7 of “Fix the board” was merged", ["pr_merged", { pullRequestNumber: 7, mergedBy: null }]],
  ["Ada left the workspace", ["member_removed", { name: "Ada", self: true }]],
  ["Ada removed Bob", ["member_removed", { name: "Bob", self: false }]],
  ["Ada made Bob the owner", ["member_role_changed", { name: "Bob", from: "admin", to: "owner", transfer: true }]],
  ["Ada made Bob an admin", ["member_role_changed", { name: "Bob", from: "member", to: "admin", transfer: false }]],
  ["Ada paused the cron “Fix the board”", ["cron_updated", { change: "paused" }]],
  ["A run of “Fix the board” failed: no credentials", ["cron_run_failed", { error: "no credentials" }]],
])("%s", (text, facts) => {
  expect(told(...facts)).toBe(text);
});

it("every kind has one line, whatever the title contains", () => {
  for (const kind of activityKinds) {
    const text = formatActivity({ kind, actorName: null, subject: "Two\nlines\t\u0007\u202e<b>", payload: {} });
    expect(text.length).toBeGreaterThan(5);
    expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  }
});
