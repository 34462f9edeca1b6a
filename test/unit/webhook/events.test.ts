// The events of webhooks: which patterns match, what a body has, and which changes make which.
import { describe, expect, test } from "vitest";
import { isUuid } from "../../../src/lib/ids.ts";
import type { SkipReason } from "../../../src/trigger/rules/outcome.ts";
import { createEventId, formatBody, type WebhookEvent, webhookBodyBytes } from "../../../src/webhook/rules/event.ts";
import {
  eventPatterns,
  isEventPattern,
  isSubscribed,
  type WebhookEventType,
} from "../../../src/webhook/rules/event-types.ts";
import {
  createSequence,
  listSessionWebhookEvents,
  listTurnWebhookEvents,
} from "../../../src/webhook/rules/session-events.ts";
import { disabledReasons } from "../../../src/webhook/rules/status.ts";
import { listLimitEvents } from "../../../src/webhook/rules/trigger-events.ts";
import { webhookSchema } from "../../../src/webhook/wire.ts";

const now = Date.parse("2026-11-24T09:12:07.412Z");
const event: WebhookEvent = {
  ...{ id: "019ab2c4-7e10-7c3a-8a1b-2c9d7e5f4a31", type: "job.awaiting_response", at: now },
  ...{ workspaceId: "ws_1", projectId: "p1", data: { sessionId: "s1", jobNumber: 3, sequence: 41 }, by: null },
  text: { title: "Sort departures", question: "Which colour?" },
};

test.each([
  ["*", true],
  ["job.*", true],
  ["job.completed", true],
  ["webhook.*", true],
  ["job", false],
  ["job.", false],
  ["job.nope", false],
  ["*.completed", false],
  ["nope.*", false],
  ["", false],
  ["toString", false],
  ["constructor.*", false],
])("the pattern %j: %s", (pattern, isOne) => {
  expect(isEventPattern(pattern)).toBe(isOne);
});

test("every listed pattern is one", () => {
  expect(eventPatterns.filter((pattern) => !isEventPattern(pattern))).toEqual([]);
  expect(eventPatterns).toContain("pull_request.*");
});

test.each<[string[], string[] | null, WebhookEventType, string | null, boolean]>([
  [["*"], null, "job.failed", "p1", true],
  [["job.*"], null, "job.failed", "p1", true],
  [["job.completed"], null, "job.failed", "p1", false],
  [["job.completed", "job.failed"], null, "job.failed", "p1", true],
  [["pull_request.*"], null, "pull_request.behind", "p1", true],
  [["*"], ["p1"], "job.failed", "p1", true],
  [["*"], ["p2"], "job.failed", "p1", false],
  [["*"], ["p1"], "member.joined", null, false],
  [["*"], null, "member.joined", null, true],
  [["*"], null, "webhook.test", null, false],
  [["webhook.test"], null, "webhook.test", null, false],
])("%j of projects %j gets %s of %s: %s", (events, projects, type, projectId, gets) => {
  expect(isSubscribed({ events, projects }, { type, projectId })).toBe(gets);
});

describe("a body", () => {
  test("is thin: no text that anybody wrote", () => {
    expect(JSON.parse(formatBody(event, false))).toEqual({
      type: "job.awaiting_response",
      timestamp: "2026-11-24T09:12:07.412Z",
      data: { workspaceId: "ws_1", projectId: "p1", sessionId: "s1", jobNumber: 3, sequence: 41, by: null },
    });
  });

  test("has texts only for a webhook that asks for them", () => {
    const { data } = JSON.parse(formatBody(event, true));
    expect(data.text).toEqual({ title: "Sort departures", question: "Which colour?" });
  });

  test.each(["a", "é", "漢", "😀", "\u0001"])("of texts of %j is cut to 4,000 characters and 20 KB", (character) => {
    const long = { ...event, text: { title: character.repeat(9_000), answer: character.repeat(90_000) } };
    const body = formatBody(long, true);
    expect(new TextEncoder().encode(body).length).toBeLessThanOrEqual(webhookBodyBytes);
    const { text } = JSON.parse(body).data;
    expect(Array.from(text.answer as string).length).toBeLessThanOrEqual(4_000);
    expect(text.answer).toBe(character.repeat(Array.from(text.answer as string).length));
    expect(text.answer).not.toBe("");
  });
});

test("a derived id is a UUIDv7 of the time, the same each time, another for another variant", () => {
  const origin = "019a1c60-0d52-7a06-b3c8-6e1f0a9d8c42";
  const ids = [createEventId(origin, now, 1), createEventId(origin, now, 2), createEventId(origin, now + 1, 1)];
  expect(new Set(ids).size).toBe(3);
  expect(ids.every(isUuid)).toBe(true);
  expect(createEventId(origin, now, 1)).toBe(ids[0]);
  expect(Number.parseInt(`${ids[0]}`.replaceAll("-", "").slice(0, 12), 16)).toBe(now);
  expect(`${ids[0]}`[14]).toBe("7");
});

// Only the fields that the events are made of.
const session = {
  ...{ id: "s1", workspaceId: "ws_1", projectId: "p1", title: "Sort departures", status: "active", priority: "none" },
  ...{ assignee: null, spendLimitUsd: null, metadata: {}, targetBranch: "main", isBehind: false, updatedAt: 1 },
  ...{ prState: null, prNumber: null, prUrl: null, prReport: null },
};
type Changes = Record<string, unknown>;
const state = (changes: Changes = {}) => ({ session: { ...session, ...changes }, chat: {} }) as never;
const member = { type: "member", user: { id: "usr_1", name: "Mia" }, role: "member" } as never;
const listed = (before: Changes | null, after: Changes | null) =>
  listSessionWebhookEvents(before && state(before), after && state(after), {
    ...{ by: member, now, publicUrl: "https://example.com", sequence: createSequence() },
  });

const open = { prState: "open", prNumber: 12, prUrl: "https://forge/12" };
const report = (verdict: string | null, more: Changes = {}) => ({ ...open, prReport: { sha: "a1", verdict, ...more } });

test.each<[string, Changes | null, Changes | null, string[]]>([
  ["is created", null, {}, ["session.created"]],
  ["is deleted", {}, null, ["session.deleted"]],
  ["changes nothing that is shown", {}, { updatedAt: 2 }, []],
  ["gets a title", {}, { title: "Another" }, ["session.updated"]],
  ["gets metadata", {}, { metadata: { ci: "1" } }, ["session.updated"]],
  ["is archived", {}, { status: "archived" }, ["session.status_changed"]],
  ["is renamed and completed", {}, { title: "B", status: "completed" }, ["session.updated", "session.status_changed"]],
  ["opens a pull request", {}, open, ["pull_request.opened"]],
  ["has a draft", {}, { ...open, prState: "draft" }, ["pull_request.opened"]],
  ["marks its draft as ready", { ...open, prState: "draft" }, open, []],
  ["closes it", open, { ...open, prState: "closed" }, ["pull_request.closed"]],
  ["merges it", open, { ...open, prState: "merged" }, ["pull_request.merged"]],
  ["fails checks", open, report("failed"), ["pull_request.checks_failed"]],
  ["passes checks", report("failed"), report("passed"), ["pull_request.checks_passed"]],
  ["has the same verdict", report("failed"), report("failed"), []],
  ["is behind", open, { ...open, isBehind: true }, ["pull_request.behind"]],
  ["is stale", report(null), report(null, { staleSince: 5 }), ["pull_request.stale"]],
])("a session that %s", (_, before, after, types) => {
  expect(listed(before, after).map(({ type }) => type)).toEqual(types);
});

test("an event says who did it, and what the service saw says nobody", () => {
  expect(listed({}, { title: "B" })[0]).toMatchObject({
    by: { userId: "usr_1", source: null },
    data: { changed: ["title"] },
  });
  expect(listed({}, { status: "archived" })[0]).toMatchObject({ data: { from: "active", to: "archived" } });
  expect(listed({}, open)[0]).toMatchObject({
    by: null,
    data: { pullRequest: { number: 12, url: "https://forge/12" } },
  });
});

describe("a turn", () => {
  const turn = (changes: Changes) =>
    ({
      ...{ id: "019a1c60-0d52-7a06-b3c8-6e1f0a9d8c42", number: 3, status: "pending", error: null, errorCode: null },
      ...{ sender: { kind: "member", userId: "usr_1", name: "Mia" }, createdAt: now, completedAt: null },
      ...changes,
    }) as never;
  const text = { question: "Which?", answer: "Done." };
  const eventsOf = (changes: Changes) =>
    listTurnWebhookEvents(session as never, turn(changes), { publicUrl: "https://example.com", text });

  test.each([
    ["pending", "job.started", {}],
    ["running", "job.started", {}],
    ["completed", "job.completed", { answer: "Done." }],
    ["awaiting_response", "job.awaiting_response", { question: "Which?" }],
    ["failed", "job.failed", { error: "It broke." }],
    ["cancelled", "job.cancelled", {}],
  ])("that is %s: %s", (status, type, written) => {
    const isOver = status !== "pending" && status !== "running";
    const made = eventsOf({
      status,
      completedAt: isOver ? now + 5 : null,
      error: status === "failed" ? "It broke." : null,
    });
    expect(made.at(-1)).toMatchObject({ type, text: { title: "Sort departures", ...written } });
    expect(made.map(({ type }) => type)).toEqual(isOver ? ["job.started", type] : ["job.started"]);
  });

  test("has the same ids each time", () => {
    const ended = eventsOf({ status: "completed", completedAt: now });
    expect(eventsOf({ status: "running" })[0]?.id).toBe(ended[0]?.id);
    expect(new Set(ended.map(({ id }) => id)).size).toBe(2);
  });

  test("is between the changes of its session in the sequence", () => {
    const sequence = createSequence();
    const numbers = [sequence.next(now), sequence.next(now), sequence.next(now - 5)];
    const [started, ended] = eventsOf({ status: "completed", completedAt: now + 1 });
    const all = [...numbers, started?.data.sequence, ended?.data.sequence, sequence.next(now + 1)] as number[];
    expect(all).toEqual([...new Set(all)].toSorted((a, b) => a - b));
  });
});

describe("a run that a limit stopped", () => {
  const trigger = { id: "019ab2c4-7e10-7c3a-8a1b-2c9d7e5f4a31", name: "Calls" };
  const place = { workspaceId: "ws_1", projectId: "p1", sessionId: "" };
  const day = Date.parse("2026-11-24T00:00:00Z");
  const of = (reason: SkipReason | null, changes: object = {}) =>
    listLimitEvents(trigger, place, { reason, reachedUsd: null, day, at: now, ...changes });

  test.each<[SkipReason | null, number | null, object[]]>([
    ["cap_day", null, [{ type: "trigger.limited", data: { reason: "cap_day", sessionId: null } }]],
    ["cap_attempts", null, [{ type: "trigger.limited", data: { reason: "cap_attempts" } }]],
    ["cap_spend", null, [{ type: "trigger.limited", data: { reason: "cap_spend" } }]],
    [
      "cap_spend",
      2,
      [
        { type: "trigger.limited", data: { triggerId: trigger.id, reason: "cap_spend" } },
        { type: "spend.limit_reached", data: { limit: "trigger", triggerId: trigger.id, limitUsd: 2 } },
      ],
    ],
    ["base_fails", null, []],
    [null, null, []],
  ])("by %s, of $%s, has its events", (reason, reachedUsd, events) => {
    expect(of(reason, { reachedUsd })).toMatchObject(events);
  });

  test("has one id for each trigger, reason and day, whenever it is", () => {
    const ids = (...lists: WebhookEvent[][]) => new Set(lists.flat().map(({ id }) => id));
    expect(ids(of("cap_day"), of("cap_day", { at: now + 1 })).size).toBe(1);
    const others = [
      of("cap_day"),
      of("cap_day", { day: day + 1 }),
      of("cap_attempts"),
      of("cap_spend", { reachedUsd: 2 }),
    ];
    expect([...ids(...others)].every(isUuid)).toBe(true);
    expect(ids(...others).size).toBe(5);
  });

  test("says nothing that a person wrote without texts", () => {
    const [limited] = of("cap_day");
    expect(limited && formatBody(limited, false)).not.toContain("Calls");
  });
});

test.each(disabledReasons)("the API describes the reason %s for which a webhook is disabled", (reason) => {
  expect(webhookSchema.shape.disabledReason.description).toContain(`\`${reason}\``);
});
