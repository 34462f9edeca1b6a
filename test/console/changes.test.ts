// The rules of Changes: a patch as git writes it, marks that a change clears, and selected lines.
import { describe, expect, test } from "vitest";
import { parsePatch, unquotePath } from "../../console/src/changes/parse-patch.ts";
import {
  findCommentLine,
  findKeptLines,
  findSameLines,
  formatKeptLines,
  toLineRange,
} from "../../console/src/changes/selected-lines.ts";
import {
  describeSend,
  findOldest,
  listSentTimes,
  listToSend,
  nameSend,
  reachesBack,
} from "../../console/src/changes/unsent.ts";
import { isViewed, markViewed } from "../../console/src/changes/viewed.ts";

const patch = [
  "diff --git a/board.js b/board.js",
  "index c345378..6c76c0b 100644",
  "--- a/board.js",
  "+++ b/board.js",
  "@@ -1,3 +1,4 @@ export function",
  "+// top",
  " one",
  "--- two",
  "+++ two",
  " three",
  "\\ No newline at end of file",
  "diff --git a/<img src=x onerror=alert(1)>.md b/<img src=x onerror=alert(1)>.md",
  "new file mode 100644",
  "--- /dev/null",
  "+++ b/<img src=x onerror=alert(1)>.md\t",
  "@@ -0,0 +1 @@",
  "+diff --git a/no b/no",
  "diff --git a/README.md b/GUIDE.md",
  "similarity index 100%",
  "rename from README.md",
  "rename to GUIDE.md",
  "diff --git a/logo.bin b/logo.bin",
  "new file mode 100644",
  "Binary files /dev/null and b/logo.bin differ",
  "diff --git a/gone.js b/gone.js",
  "deleted file mode 100644",
  "--- a/gone.js",
  "+++ /dev/null",
  "@@ -1 +0,0 @@",
  "-x",
  "",
].join("\n");
const files = parsePatch(patch);
const board = files.get("board.js")?.lines ?? [];

describe("a patch", () => {
  test("has its files by path", () => {
    expect([...files.keys()]).toEqual([
      "board.js",
      "<img src=x onerror=alert(1)>.md",
      "GUIDE.md",
      "logo.bin",
      "gone.js",
    ]);
    expect(files.get("GUIDE.md")).toMatchObject({ previousPath: "README.md", lines: [], isBinary: false });
    expect(files.get("logo.bin")).toMatchObject({ isBinary: true, lines: [] });
    expect(files.get("gone.js")?.lines.at(-1)).toEqual({ kind: "removed", text: "x", old: 1, new: null });
  });

  test("numbers its lines, also those that look like heads", () => {
    expect(board.map(({ kind, text, old, new: after }) => [kind, text, old, after])).toEqual([
      ["hunk", "export function", 1, 1],
      ["added", "// top", null, 1],
      ["same", "one", 1, 2],
      ["removed", "-- two", 2, null],
      ["added", "++ two", null, 3],
      ["same", "three", 3, 4],
      ["note", "No newline at the end", null, null],
    ]);
  });

  test.each([
    ["plain.js", "plain.js"],
    ['"a/\\303\\274ber.js"', "a/über.js"],
    ['"say \\"hi\\"\\t.js"', 'say "hi"\t.js'],
  ])("writes %s for %s", (written, path) => {
    expect(unquotePath(written)).toBe(path);
  });
});

test("a mark holds until the file changes", () => {
  const marks = markViewed({}, "a.js", "+1", true);
  expect(isViewed(marks, "a.js", "+1")).toBe(true);
  expect(isViewed(marks, "a.js", "+2")).toBe(false);
  expect(isViewed(marks, "constructor", "+1")).toBe(false);
  expect(markViewed(marks, "a.js", "+1", false)).toEqual({});
});

describe("selected lines", () => {
  test.each([
    [1, 2, { side: "new", startLineNumber: 1, endLineNumber: 2, lineSnapshot: "// top\none" }],
    [4, 1, { side: "new", startLineNumber: 1, endLineNumber: 3, lineSnapshot: "// top\none\n++ two" }],
    [3, 3, { side: "old", startLineNumber: 2, endLineNumber: 2, lineSnapshot: "-- two" }],
    [0, 0, null],
    [6, 6, null],
    [9, 9, null],
  ])("from %i to %i", (anchor, focus, range) => {
    expect(toLineRange(board, anchor, focus)).toEqual(range);
  });

  test("a comment is below its last line", () => {
    expect(findCommentLine(board, { side: "new", endLineNumber: 3 })).toBe(4);
    expect(findCommentLine(board, { side: "old", endLineNumber: 2 })).toBe(3);
    expect(findCommentLine(board, { side: "new", endLineNumber: 99 })).toBe(-1);
  });
});

describe("comments that the agent has had", () => {
  const at = (minute: number) => `2026-09-01T10:0${minute}:00.000Z`;
  const comment = (id: string, minute: number, rest = {}) => ({
    ...{ id, resolved: false, createdAt: at(minute), updatedAt: at(minute), ...rest },
  });
  const message = (minute: number, ...diffCommentIds: string[]) => ({
    context: { diffCommentIds },
    createdAt: at(minute),
  });
  const [one, two, three] = [comment("1", 1), comment("2", 1, { resolved: true }), comment("3", 2)];

  test.each<[what: string, comments: (typeof one)[], messages: Parameters<typeof listSentTimes>[0], toSend: string[]]>([
    ["are left out, from any browser", [one, three], [message(3, "1")], ["3"]],
    ["go again once they are changed", [comment("1", 1, { updatedAt: at(4) }), three], [message(3, "1", "3")], ["1"]],
    [
      "are left out again after the change went, too",
      [comment("1", 1, { updatedAt: at(4) }), three],
      [message(5, "1"), message(3, "1")],
      ["3"],
    ],
    ["are offered again if there are no others", [one, two], [message(3, "1")], ["1"]],
    ["are none at the beginning", [one, two, three], [{ context: {}, createdAt: at(0) }], ["1", "3"]],
  ])("%s", (_, comments, messages, toSend) => {
    expect(listToSend(comments, listSentTimes(messages, [])).map(({ id }) => id)).toEqual(toSend);
  });

  test("are those in Up next, too, and go as they are then", () => {
    const changed = comment("1", 1, { updatedAt: at(9) });
    expect(listToSend([changed, three], listSentTimes([], [message(3, "1")]))).toEqual([three]);
  });

  test("are looked for as far back as the oldest open one", () => {
    expect(findOldest([three, one, comment("0", 0, { resolved: true })])).toBe(at(1));
    expect(findOldest([two])).toBeNull();
    expect(reachesBack([{ createdAt: null }, message(0), message(5)], at(1))).toBe(true);
    expect(reachesBack([message(1)], at(1))).toBe(false);
    expect(reachesBack([], at(1))).toBe(false);
  });
});

test.each([
  [1, false, false, false, "Send 1 comment to the agent"],
  [2, true, false, false, "Send 2 comments again"],
  [2, false, true, false, "Sending…"],
  [2, false, true, true, "Waiting…"],
])("%i comments, sent %s, pending %s, offline %s: %s", (count, areSent, isPending, isWaiting, words) => {
  expect(nameSend(count, areSent, { isPending, isWaiting })).toBe(words);
});

test.each<[state: Partial<Parameters<typeof describeSend>[0]>, words: string | null]>([
  [{}, null],
  [{ areSent: true }, "The agent has had them."],
  [{ areSent: true, outcome: "Sent: the agent works on them." }, "The agent has had them."],
  [{ isRunning: true }, "A turn runs: they will wait in Up next."],
  [{ isRunning: true, areSent: true, outcome: "Sent: they wait in Up next." }, "Sent: they wait in Up next."],
  [{ isWaiting: true, isRunning: true }, "They wait for the connection, and are then sent."],
])("below the button that sends comments, %j reads %s", (state, words) => {
  const none = { isWaiting: false, isRunning: false, areSent: false, outcome: null };
  expect(describeSend({ ...none, ...state })).toBe(words);
});

test.each<[at: [number, number], kept: string]>([
  [[1, 2], "new:1:2:// top\none"],
  [[3, 3], "old:2:2:-- two"],
  [[2, 4], "new:2:3:one\n++ two"],
])("the lines %j of an unfinished comment are found again, kept as %j", (at, kept) => {
  const range = toLineRange(board, ...at);
  expect(range && formatKeptLines(range)).toBe(kept);
  expect(findKeptLines(board, kept)).toEqual({ anchor: at[0], focus: at[1] });
});

test.each(["", "new:1:1", "new:3:3:two", "old:3:3:++ two", "new:1:41:// top\none", "side:1:1:// top"])(
  "a diff does not show the kept lines %j",
  (kept) => {
    expect(findKeptLines(board, kept)).toBeNull();
  },
);

describe("lines of a comment that is being written, once the diff was read again", () => {
  const toLines = (hunks: string) => parsePatch(`diff --git a/a.js b/a.js\n${hunks}`).get("a.js")?.lines ?? [];
  const before = toLines("@@ -1,3 +1,3 @@\n a\n-b\n+c\n d");
  const [added, removed, both] = [[3, 3] as const, [2, 2] as const, [3, 4] as const];
  const mixed = [4, 2] as const;

  test.each<[what: string, chosen: readonly [number, number], now: string, found: [number, number] | null]>([
    ["stay where nothing has changed", added, "@@ -1,3 +1,3 @@\n a\n-b\n+c\n d", [3, 3]],
    ["move with a line above them", both, "@@ -1,3 +1,4 @@\n+x\n a\n-b\n+c\n d", [4, 5]],
    ["are the nearest of the same text", [4, 4], "@@ -1,3 +1,4 @@\n+d\n a\n-b\n+c\n d", [5, 5]],
    ["are those of their side", removed, "@@ -1,3 +1,4 @@\n+b\n a\n-b\n+c\n d", [3, 3]],
    ["keep their side with an unchanged line", mixed, "@@ -1,3 +1,4 @@\n+x\n a\n-b\n+c\n d", [5, 3]],
    ["are unchanged ones, too", added, "@@ -1,3 +1,2 @@\n a\n-b\n c\n", [3, 3]],
    ["are gone with one of them", both, "@@ -1,3 +1,3 @@\n a\n-b\n+c\n+e", null],
    ["are gone with a line between them", both, "@@ -1,3 +1,4 @@\n a\n-b\n+c\n+x\n d", null],
    ["are gone with lines between them that are not shown", both, "@@ -1 +1 @@\n+c\n@@ -8 +9 @@\n d", null],
    ["are gone in a shorter diff", both, "@@ -1 +1 @@\n-a\n+c", null],
  ])("%s", (_, chosen, now, found) => {
    const range = toLineRange(before, ...chosen);
    const lines = range && findSameLines(toLines(now), range);
    expect(lines && [lines.anchor, lines.focus]).toEqual(found);
    expect(lines && toLineRange(toLines(now), lines.anchor, lines.focus)?.lineSnapshot).toBe(
      found && range ? range.lineSnapshot : null,
    );
  });
});
