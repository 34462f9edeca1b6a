// A request for the feed as clients write it: from which time, which kinds, from which cursor, and
// who may mark.
import { describe, expect, it } from "vitest";
import { activityKinds, changeKinds, memberActionKinds } from "../../../src/activity/rules/activity.ts";
import {
  checkFeed,
  type FeedRequest,
  formatCursor,
  getCategory,
  isNew,
  parseCursor,
  parseFeed,
  parseSince,
} from "../../../src/activity/rules/feed.ts";

const now = Date.UTC(2026, 2, 10, 12);
const hour = 3_600_000;
const month = 30 * 24 * hour;
const asked: FeedRequest = { unseen: false, markSeen: false, limit: 50 };
const feed = (changes: Partial<FeedRequest>, caller: Parameters<typeof parseFeed>[1] = "api-key") =>
  parseFeed({ ...asked, ...changes }, caller, now);
const badRequest = { code: "BAD_REQUEST" };

describe("since", () => {
  it.each<[string, number]>([
    ["24h", now - 24 * hour],
    ["7d", now - 7 * 24 * hour],
    ["0h", now],
    ["2026-03-01", Date.UTC(2026, 2, 1)],
    ["2026-03-01T10:30", Date.UTC(2026, 2, 1, 10, 30)],
    ["2026-03-01T10:30:15", Date.UTC(2026, 2, 1, 10, 30, 15)],
    ["2026-03-01T10:30:15.250Z", Date.UTC(2026, 2, 1, 10, 30, 15, 250)],
    ["2026-03-01T10:30:00+02:00", Date.UTC(2026, 2, 1, 8, 30)],
    ["2026-03-01T10:30:00-05:30", Date.UTC(2026, 2, 1, 16)],
    ["31d", now - month],
    ["999999d", now - month],
    ["2020-02-29", now - month],
    ["2027-01-01", Date.UTC(2027, 0, 1)],
  ])("%s is a start", (text, at) => {
    expect(parseSince(text, now)).toBe(at);
  });

  it.each([
    ...[
      "2026-02-30",
      "2026-13-01",
      "2025-02-29",
      "24H",
      "7D",
      "7",
      "1.5d",
      "-1d",
      "+1d",
      " 7d",
      "7d ",
      "",
      "yesterday",
      "1w",
    ],
    ...["2026-03-01T24:00", "2026-03-01T10:60", "2026-03-01T10", "2026-03-01 10:30", "2026-3-1", "2026-03-01T10:30+2"],
    ...["1772323200000", "2026-03-01T10:30:00+24:00", "2026-03-01Z", "1000000000h"],
  ])("%j is no start", (text) => {
    expect(parseSince(text, now)).toBeNull();
    expect(feed({ since: text })).toMatchObject(badRequest);
  });

  it("is 30 days ago by default", () => {
    expect(feed({})).toMatchObject({ since: now - month });
  });
});

describe("kind", () => {
  it.each<[string | undefined, readonly string[] | null]>([
    [undefined, null],
    ["pr_merged", ["pr_merged"]],
    ["session_started,pr_merged", ["pr_merged", "session_started"]],
    ["pr_merged,pr_merged", ["pr_merged"]],
    ["change", changeKinds],
    ["action", memberActionKinds],
  ])("%s", (kind, kinds) => {
    expect(feed({ kind })).toMatchObject({ kinds });
  });

  it.each(["", ",", "pr_merged,", "merged", "change,pr_merged", "change,action", "pr_merged,action", "PR_MERGED"])(
    "%j is no kind",
    (kind) => {
      expect(feed({ kind })).toMatchObject(badRequest);
    },
  );

  it("is of one category", () => {
    expect(activityKinds.filter((kind) => getCategory(kind) === "change")).toEqual([...changeKinds]);
    expect(activityKinds).toHaveLength(21);
  });
});

describe("a cursor", () => {
  it("continues after its event, in its own direction", () => {
    for (const direction of ["newest-first", "oldest-first"] as const)
      for (const seq of [1, 999, 123_456_789_012])
        expect(parseCursor(formatCursor(seq, direction), direction)).toBe(seq);
    expect(feed({ cursor: formatCursor(7, "newest-first") })).toMatchObject({ behind: 7 });
    expect(feed({ unseen: true, cursor: formatCursor(7, "oldest-first") })).toMatchObject({ behind: 7 });
  });

  it("of the other direction is refused", () => {
    expect(feed({ cursor: formatCursor(7, "oldest-first") })).toMatchObject(badRequest);
    expect(feed({ unseen: true, cursor: formatCursor(7, "newest-first") })).toMatchObject(badRequest);
  });

  it.each([
    "",
    "7",
    "MW43=",
    "!!!!",
    "%",
    "MW4",
    btoa("2n7"),
    btoa("1n-7"),
    btoa("1n07"),
    btoa("1n7x"),
    "a".repeat(500),
  ])("%j is no cursor", (cursor) => {
    expect(feed({ cursor })).toMatchObject(badRequest);
  });

  it("is ignored by markSeen, and so is unseen", () => {
    for (const unseen of [true, false])
      expect(feed({ markSeen: true, unseen, cursor: "nonsense" })).toMatchObject({
        ...{ behind: null, marksSeen: true, isNewAlone: true, direction: "oldest-first" },
      });
  });
});

describe("markSeen", () => {
  it.each([
    ["api-key", undefined],
    ["browser", "BAD_REQUEST"],
    ["agent", "FORBIDDEN"],
    ["cron-run", "FORBIDDEN"],
    ["relay", "FORBIDDEN"],
  ] as const)("by %s", (caller, code) => {
    expect(feed({ markSeen: true }, caller)).toMatchObject(code === undefined ? { marksSeen: true } : { code });
  });

  it.each([{ project: "p" }, { kind: "pr_merged" }, { since: "7d" }, { kind: "" }])("with %j is refused", (filter) => {
    expect(feed({ markSeen: true, ...filter })).toMatchObject(badRequest);
  });

  it("takes a workspace", () => {
    expect(feed({ markSeen: true, workspace: "ws_1" })).toMatchObject({ workspaceId: "ws_1" });
  });
});

it("a page has the requested number of events, at most 200", () => {
  expect(feed({ limit: 1 })).toMatchObject({ pageSize: 1 });
  expect(feed({ limit: 201 })).toMatchObject({ pageSize: 200 });
});

it("an event after the mark is New, except one's own", () => {
  const reader = { seenSeq: 5, userId: "usr_ada" };
  expect(isNew({ seq: 5, actorId: null }, reader)).toBe(false);
  expect(isNew({ seq: 6, actorId: null }, reader)).toBe(true);
  expect(isNew({ seq: 6, actorId: "usr_bob" }, reader)).toBe(true);
  expect(isNew({ seq: 6, actorId: "usr_ada" }, reader)).toBe(false);
});

it.each<[string, Parameters<typeof checkFeed>, string | null]>([
  ["everything", [named(), facts()], null],
  ["a workspace of the caller's", [named("ws_1"), facts()], null],
  ["another's", [named("ws_2"), facts()], "FORBIDDEN"],
  ["an unknown workspace", [named("ws_2"), facts({ isWorkspace: false })], "NOT_FOUND"],
  ["a project of the caller's", [named(null, "p"), facts()], null],
  ["an unknown project", [named(null, "p"), facts({ projectWorkspaceId: null })], "NOT_FOUND"],
  ["another's project", [named(null, "p"), facts({ projectWorkspaceId: "ws_2" })], "FORBIDDEN"],
  ["a project outside the workspace", [named("ws_1", "p"), facts({ projectWorkspaceId: "ws_3" })], "NOT_FOUND"],
  ["a project inside the workspace", [named("ws_1", "p"), facts()], null],
])("the feed of %s", (_, [feed, there], code) => {
  expect(checkFeed(feed, there)?.code ?? null).toBe(code);
});

function named(workspaceId: string | null = null, projectId: string | null = null) {
  return { workspaceId, projectId };
}
function facts(changes: Partial<Parameters<typeof checkFeed>[1]> = {}) {
  return { isWorkspace: true, projectWorkspaceId: "ws_1", reached: ["ws_1", "ws_3"], ...changes };
}
