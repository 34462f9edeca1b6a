import { describe, expect, test } from "vitest";
import type { Actor } from "../../../src/access/rules/actor.ts";
import { service } from "../../../src/access/rules/actor.ts";
import type { TurnEnd } from "../../../src/chat/rules/turn-end.ts";
import { toCronRunEvent } from "../../../src/cron/rules/activity-events.ts";
import type { CronRunStatus } from "../../../src/cron/rules/run-status.ts";
import { findRunNotification, listSessionNotifications } from "../../../src/notification/rules/audience.ts";
import { isOver, type Notification } from "../../../src/notification/rules/notification.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { listActivityEvents } from "../../../src/session/rules/activity-events.ts";
import { recordVerdict } from "../../../src/session/rules/pull-request/code-host-event.ts";
import type { Assignee, SessionState } from "../../../src/session/rules/session.ts";
import { endTurn } from "../../../src/session/rules/turn-end.ts";
import { now, sessionState, turn } from "../../support/session-state.ts";

const mia: Assignee = { kind: "member", userId: "usr_mia", name: "Mia", imageUrl: null };

/** The notifications of a decision, as the session's object creates them from its events. */
function listNotifications(before: SessionState, after: SessionState, by: Actor = service): Notification[] {
  const events = listActivityEvents(before, after, by, now).map((event, place) => ({ id: `event-${place}`, ...event }));
  return listSessionNotifications(events, after, now);
}

function ended(end: TurnEnd, assignee: Assignee | null = mia, stopRequestedAt: number | null = null) {
  const before = sessionState({ session: { assignee }, turn: { ...turn("running"), stopRequestedAt } });
  const decision = endTurn(before, { turnId: "turn-1", end, nextTurnId: "turn-2" }, now);
  if (isRefusal(decision)) throw new Error(decision.message);
  return listNotifications(before, decision.state);
}

const failure: TurnEnd = { status: "failed", error: "The key sk-secret is wrong.", errorCode: null };

test.each<[how: string, end: TurnEnd, kinds: string[]]>([
  ["with a question", { status: "awaiting_response" }, ["job_awaiting_response"]],
  ["with a failure", failure, ["job_failed"]],
  ["by a stop", { status: "cancelled" }, []],
  ["well", { status: "completed" }, []],
])("a turn that ends %s", (_, end, kinds) => {
  expect(ended(end).map(({ kind }) => kind)).toEqual(kinds);
});

test.each<TurnEnd>([failure, { status: "awaiting_response" }])(
  "a turn that a member stops notifies nobody, however it ends: $status",
  (end) => expect(ended(end, mia, now)).toEqual([]),
);

test.each<[assignee: Assignee | null, told: (string | null)[]]>([
  [mia, ["usr_mia"]],
  [{ kind: "service" }, [null]],
  [null, []],
])("while the Assignee is %j", (assignee, told) => {
  expect(ended(failure, assignee).map(({ userId }) => userId)).toEqual(told);
});

test.each(["failed", "passed"] as const)("checks that have %s", (verdict) => {
  const before = sessionState({
    session: {
      ...{ assignee: mia, prNumber: 7, prState: "open" },
      prReport: { sha: "a", shaAt: 0, changedAt: 0, checks: {} },
    },
  });
  const decision = recordVerdict(before, { sha: "a", verdict, haveAllEnded: true });
  if (isRefusal(decision)) throw new Error(decision.message);
  const kinds = listNotifications(before, decision.state).map(({ kind }) => kind);
  expect(kinds).toEqual(verdict === "failed" ? ["pr_checks_failed"] : []);
});

test("a notification has the id of its event, and names the session and the turn", () => {
  const { id: sessionId, workspaceId, projectId, title } = sessionState().session;
  expect(ended(failure)).toEqual([
    {
      ...{ id: "event-0", kind: "job_failed", workspaceId, projectId, sessionId, turnId: "turn-1", run: null },
      ...{ title, userId: "usr_mia", at: now },
    },
  ]);
});

describe("a cron run", () => {
  const run = { id: "run-1", cronId: "cron-1", cronName: "Nightly", workspaceId: "ws_1", projectId: "project-1" };
  const notice = (status: CronRunStatus) =>
    findRunNotification(
      toCronRunEvent({ ...run, status, error: "secret" }),
      { cronId: "cron-1", runId: "run-1", createdBy: "usr_mia" },
      now,
    );

  test.each<CronRunStatus>(["running", "succeeded", "cancelled", "skipped"])("that is %s notifies nobody", (status) => {
    expect(notice(status)).toBeNull();
  });

  test("that failed notifies the cron's creator", () => {
    expect(notice("failed")).toEqual({
      ...{ id: "run-1", kind: "cron_run_failed", workspaceId: "ws_1", projectId: "project-1", sessionId: null },
      ...{ turnId: null, run: { cronId: "cron-1", runId: "run-1" }, title: "Nightly", userId: "usr_mia", at: now },
    });
  });
});

test("a notification expires after an hour", () => {
  expect([3_599_999, 3_600_000].map((age) => isOver({ at: now }, now + age))).toEqual([false, true]);
});
