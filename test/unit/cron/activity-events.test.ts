// The feed events of crons: how their runs end, and what members do to them.
import { expect, it } from "vitest";
import type { Actor } from "../../../src/access/rules/actor.ts";
import { getCronChange, toCronActionEvent, toCronRunEvent } from "../../../src/cron/rules/activity-events.ts";
import type { CronRunStatus } from "../../../src/cron/rules/run-status.ts";

const run = { id: "r", cronId: "c", cronName: "Nightly", workspaceId: "w", projectId: "p", error: "It broke." };

it.each<[CronRunStatus, object | null]>([
  ["succeeded", { kind: "cron_run_succeeded", payload: { cronId: "c", runId: "r" } }],
  ["failed", { kind: "cron_run_failed", payload: { cronId: "c", runId: "r", error: "It broke." } }],
  ["cancelled", null],
  ["skipped", null],
  ["running", null],
])("a run that is %s is in the feed, or not", (status, expected) => {
  const event = toCronRunEvent({ ...run, status });
  if (expected === null) expect(event).toBeNull();
  else expect(event).toMatchObject({ id: "r", projectId: "p", subject: "Nightly", doer: null, ...expected });
  if (status === "succeeded") expect(event?.payload).not.toHaveProperty("error");
});

it.each<[boolean, boolean | undefined, string]>([
  [true, undefined, "edited"],
  [true, true, "edited"],
  [true, false, "paused"],
  [false, true, "resumed"],
  [false, false, "edited"],
])("a cron that was enabled: %s, changed with enabled: %s, was %s", (enabled, wanted, change) => {
  expect(getCronChange({ enabled }, wanted)).toBe(change);
});

const user = { id: "usr_1", name: "Mia", email: "", imageUrl: null };
const mia: Actor = { type: "member", user, role: "member" };
it.each([
  ["created", { kind: "cron_created", payload: { cronId: "c" } }],
  ["paused", { kind: "cron_updated", payload: { cronId: "c", change: "paused" } }],
  ["deleted", { kind: "cron_deleted", payload: { cronId: "c" } }],
] as const)("a member's %s is in the feed with its actor and without a project", (change, expected) => {
  const cron = { id: "c", workspaceId: "w", name: "Nightly" };
  expect(toCronActionEvent("e", cron, change, mia)).toMatchObject({
    projectId: null,
    doer: { userId: "usr_1" },
    ...expected,
  });
  const nobody: Actor = { type: "cron-run", cronId: "c", runId: "r", user: null, role: null, writer: "creator" };
  expect(toCronActionEvent("e", cron, change, nobody)).toBeNull();
});
