import { describe, expect, it } from "vitest";
import {
  asSeen,
  type CommentChange,
  checkCommentDeletion,
  createComment,
  formatReviewFeedback,
  type ReviewComment,
  toSnapshot,
  updateComment,
} from "../../../src/checkout/rules/review-comment.ts";
import { sessionStatuses } from "../../../src/session/rules/status.ts";
import { member, now, refusalCode } from "../../support/session-state.ts";

const comment = (changes: Partial<ReviewComment> = {}): ReviewComment => ({
  id: "comment-1",
  filePath: "src/board.js",
  side: "new",
  startLineNumber: 3,
  endLineNumber: 4,
  body: "Name this.",
  lineSnapshot: "const a = 1;\nconst b = 2;",
  resolved: false,
  outdated: false,
  author: member(),
  createdAt: now - 10,
  updatedAt: now - 10,
  ...changes,
});

const author = { role: "member", isOwn: true } as const;
const other = { role: "member", isOwn: false } as const;
const admin = { role: "admin", isOwn: false } as const;

describe("a new comment", () => {
  const { id, resolved: _, author, createdAt: __, updatedAt: ___, ...text } = comment();

  it("is not resolved", () => {
    expect(createComment(text, { id, author, status: "active", count: 0 }, now)).toEqual(
      comment({ createdAt: now, updatedAt: now }),
    );
  });

  it.each(sessionStatuses.map((status) => [status, status === "backlog" ? "BAD_REQUEST" : null] as const))(
    "in a session that is %s: %s",
    (status, code) => {
      expect(refusalCode(createComment(text, { id, author, status, count: 0 }, now))).toBe(code);
    },
  );

  it.each([
    [499, null],
    [500, "BAD_REQUEST"],
  ] as const)("in a session that has %d comments: %s", (count, code) => {
    expect(refusalCode(createComment(text, { id, author, status: "active", count }, now))).toBe(code);
  });
});

describe("a change", () => {
  it("of the text is for its author", () => {
    expect(updateComment(comment(), { body: "Rename." }, author, now)).toEqual(
      comment({ body: "Rename.", updatedAt: now }),
    );
    for (const who of [other, admin])
      expect(refusalCode(updateComment(comment(), { body: "x" }, who, now))).toBe("FORBIDDEN");
  });

  it.each([author, other, admin])("of the resolved state is for any member", (who) => {
    const resolved = updateComment(comment(), { resolved: true }, who, now);
    expect(resolved).toEqual(comment({ resolved: true, updatedAt: now }));
    expect(updateComment(comment({ resolved: true }), { resolved: false }, who, now)).toEqual(
      comment({ updatedAt: now }),
    );
  });

  it.each<CommentChange>([{}, { body: "Name this." }, { resolved: false }])(
    "to what it is changes nothing: %j",
    (change) => {
      expect(updateComment(comment(), change, other, now)).toEqual(comment());
    },
  );

  it("of both by another member changes neither", () => {
    expect(refusalCode(updateComment(comment(), { body: "x", resolved: true }, other, now))).toBe("FORBIDDEN");
  });
});

it("a comment is deleted by its author, an admin or the owner", () => {
  const owner = { role: "owner", isOwn: false } as const;
  const codes = [author, admin, owner, other].map((who) => refusalCode(checkCommentDeletion(who)));
  expect(codes).toEqual([null, null, null, "FORBIDDEN"]);
});

describe("the agent reads", () => {
  it("file, side, lines, the text of the lines, and the comment", () => {
    const one = comment({
      side: "old",
      startLineNumber: 7,
      endLineNumber: 7,
      lineSnapshot: "x\r\n",
      body: "Why?\nTell.",
    });
    expect(formatReviewFeedback([comment(), one])).toBe(`Review comments on your changes:

src/board.js, lines 3-4 (after the change):
> const a = 1;
> const b = 2;
Name this.

src/board.js, line 7 (before the change):
> x
Why?
Tell.`);
  });

  it("an empty line as an empty line, and missing lines as none", () => {
    expect(formatReviewFeedback([comment({ lineSnapshot: "a\n\nb" })])).toContain("\n> a\n>\n> b\nName this.");
    expect(formatReviewFeedback([comment({ lineSnapshot: "" })])).toContain("(after the change):\nName this.");
  });

  it("nothing if there are none", () => {
    expect(formatReviewFeedback([])).toBe("");
  });
});

describe("a comment is outdated", () => {
  it.each<[string, boolean, Partial<ReviewComment>, string | null]>([
    ["where its lines read as they did", false, {}, "const a = 1;\nconst b = 2;"],
    ["where a line changed", true, {}, "const a = 1;\nconst c = 2;"],
    ["where the lines are gone", true, {}, ""],
    ["where half of them are gone", true, {}, "const a = 1;"],
    [
      "where one more line end was kept",
      false,
      { lineSnapshot: "const a = 1;\nconst b = 2;\n" },
      "const a = 1;\nconst b = 2;",
    ],
    [
      "where line ends differ alone",
      false,
      { lineSnapshot: "const a = 1;\r\nconst b = 2;" },
      "const a = 1;\nconst b = 2;  ",
    ],
    ["where the indent changed", true, {}, "  const a = 1;\n  const b = 2;"],
    ["where an empty line was, and is", false, { lineSnapshot: "\n" }, "\n"],
    ["where an empty line was, and none is", true, { lineSnapshot: "\n" }, ""],
    ["where there never was a line", true, { lineSnapshot: "" }, ""],
    ["where no lines were kept before", false, { lineSnapshot: "", outdated: true }, "anything"],
    ["where nobody can tell, and it was", true, { outdated: true }, null],
    ["where nobody can tell, and it was not", false, {}, null],
    ["where its lines are back", false, { outdated: true }, "const a = 1;\nconst b = 2;"],
  ])("%s: %s", (_, outdated, changes, text) => {
    expect(asSeen(comment(changes), text)).toMatchObject({ outdated });
  });

  it.each<[string, string | null, string]>([
    ["those that it is seen with", "x\ny", "x\ny"],
    ["an empty one", "\n", "\n"],
    ["none where nobody can tell", null, ""],
    ["none that are too long", "l".repeat(20_001), ""],
    ["those of long characters", "😀".repeat(20_000), "😀".repeat(20_000)],
    ["none that are too long in long characters", "😀".repeat(20_001), ""],
  ])("and one that came without lines keeps %s", (_, text, kept) => {
    expect(toSnapshot(text)).toBe(kept);
    expect(asSeen(comment({ lineSnapshot: "" }), text)).toEqual(comment({ lineSnapshot: kept }));
  });

  it("and the agent is informed", () => {
    expect(formatReviewFeedback([comment({ outdated: true })])).toContain(
      "src/board.js, lines 3-4 (after the change; these lines have changed since):",
    );
  });
});
