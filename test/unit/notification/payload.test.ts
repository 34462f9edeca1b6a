import { describe, expect, test } from "vitest";
import {
  type Notification,
  type NotificationKind,
  notificationKinds,
} from "../../../src/notification/rules/notification.ts";
import {
  getHeaders,
  getPushTopic,
  getTtlSeconds,
  notificationBytes,
  toPayload,
  toWebPayload,
} from "../../../src/notification/rules/payload.ts";

const uuid = "019a1c60-0d3f-7e44-8a1b-2c9d7e5f4a31";
const notice: Notification = {
  ...{ id: uuid, kind: "job_failed", workspaceId: "ws_1", projectId: "project-1", sessionId: "session-1" },
  ...{ turnId: "turn-1", run: null, title: "Fix the board", userId: "usr_1", at: Date.UTC(2026, 0, 1) },
};
const ofCron: Notification = {
  ...notice,
  kind: "cron_run_failed",
  sessionId: null,
  turnId: null,
  run: { cronId: "c", runId: "r" },
};

test.each<[kind: NotificationKind, line: string]>([
  ["job_awaiting_response", "The agent waits for your answer."],
  ["job_failed", "A turn failed."],
  ["pr_checks_failed", "Checks failed on its pull request."],
])("a notification of %s has the session's title and one line", (kind, line) => {
  expect(toPayload({ ...notice, kind })).toEqual({
    aps: { alert: { title: "Fix the board", body: line }, sound: "default", "thread-id": "session-1" },
    ...{ id: uuid, kind, workspaceId: "ws_1", projectId: "project-1", chatSessionId: "session-1", chatJobId: "turn-1" },
    ...{ sessionPath: "/api/projects/project-1/chat-sessions/session-1", cronId: null, runId: null },
  });
});

test("a cron's has its name, its run and no session", () => {
  expect(toPayload(ofCron)).toMatchObject({
    aps: { alert: { title: "Fix the board", body: "A run of this cron failed." }, "thread-id": "c" },
    ...{ chatSessionId: null, sessionPath: null, cronId: "c", runId: "r" },
  });
});

describe("a title", () => {
  const shown = (title: string) => toPayload({ ...notice, title }).aps.alert.title;

  test.each<[what: string, title: string, shown: string]>([
    ["of several lines is one line", "Fix\n the\tboard ", "Fix the board"],
    ["loses characters that nothing shows", "a\u202Eb\u0000c", "a b c"],
    ["keeps joined characters", "👩\u200d🚀", "👩\u200d🚀"],
    ["of 200 characters stays", "😀".repeat(200), "😀".repeat(200)],
    ["of more is cut between characters", "😀".repeat(201), `${"😀".repeat(199)}…`],
  ])("%s", (_, title, expected) => expect(shown(title)).toBe(expected));

  test.each(["\u0000", "\\", '"', "😀", "\u2028", "\ud800", "ﷺ"])(
    "of many %j fits in a notification of any kind",
    (character) => {
      const title = character.repeat(200_000);
      for (const kind of notificationKinds) {
        const size = Buffer.byteLength(JSON.stringify(toPayload({ ...notice, kind, title, workspaceId: uuid })));
        expect(size).toBeLessThanOrEqual(notificationBytes);
      }
    },
  );
});

test("the headers name the app, the notification and its expiry", () => {
  expect(getHeaders(notice, "com.example.app")).toEqual({
    "apns-topic": "com.example.app",
    "apns-push-type": "alert",
    "apns-priority": "10",
    "apns-collapse-id": uuid,
    "apns-expiration": String(Date.UTC(2026, 0, 1, 1) / 1_000),
  });
});

test.each<[what: string, changes: Partial<Notification>, tag: string, path: string]>([
  ["a session", {}, "session-1", "/s/session-1"],
  ["a run of a cron", ofCron, "c", "/crons/c/runs/r"],
  ["a webhook", { kind: "webhook_disabled", sessionId: null }, "ws_1", "/w/ws_1/webhooks"],
])("a browser's notification of %s leads to its page", (_, changes, tag, path) => {
  expect(toWebPayload({ ...notice, ...changes })).toEqual({
    ...{ id: uuid, kind: changes.kind ?? "job_failed", title: "Fix the board", tag, path },
    body: toPayload({ ...notice, ...changes }).aps.alert.body,
  });
});

test("a push service keeps a browser's notification as long as it counts, and only the newest of an id", () => {
  expect(getPushTopic(notice)).toBe(uuid.replaceAll("-", ""));
  expect([0, 60_000, 3_600_000, 7_200_000].map((later) => getTtlSeconds(notice, notice.at + later))).toEqual([
    3_600, 3_540, 0, 0,
  ]);
});
