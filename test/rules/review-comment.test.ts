import { describe, expect, it } from "vitest";
import {
  type CommentChange,
  changeComment,
  makeComment,
  mayRemoveComment,
  type ReviewComment,
  reviewFeedback,
} from "../../src/rules/review-comment.ts";
import { sessionStatuses } from "../../src/rules/session.ts";
import { member, now, refusalCode } from "../support/session-state.ts";

const comment = (changes: Partial<ReviewComment> = {}): ReviewComment => ({
  id: "comment-1",
  filePath: "src/board.js",
  side: "new",
  startLineNumber: 3,
  endLineNumber: 4,
  body: "Name this.",
  lineSnapshot: "const a = 1;\nconst b = 2;",
  resolved: false,
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
    expect(makeComment(text, { id, author, status: "active" }, now)).toEqual(
      comment({ createdAt: now, updatedAt: now }),
    );
  });

  it.each(sessionStatuses.map((status) => [status, status === "backlog" ? "BAD_REQUEST" : null] as const))(
    "in a session that is %s: %s",
    (status, code) => {
      expect(refusalCode(makeComment(text, { id, author, status }, now))).toBe(code);
    },
  );
});

describe("a change", () => {
  it("of the words is their author's", () => {
    expect(changeComment(comment(), { body: "Rename." }, author, now)).toEqual(
      comment({ body: "Rename.", updatedAt: now }),
    );
    for (const who of [other, admin])
      expect(refusalCode(changeComment(comment(), { body: "x" }, who, now))).toBe("FORBIDDEN");
  });

  it.each([author, other, admin])("of whether it is resolved is any member's", (who) => {
    const resolved = changeComment(comment(), { resolved: true }, who, now);
    expect(resolved).toEqual(comment({ resolved: true, updatedAt: now }));
    expect(changeComment(comment({ resolved: true }), { resolved: false }, who, now)).toEqual(
      comment({ updatedAt: now }),
    );
  });

  it.each<CommentChange>([{}, { body: "Name this." }, { resolved: false }])(
    "to what it is changes nothing: %j",
    (change) => {
      expect(changeComment(comment(), change, other, now)).toEqual(comment());
    },
  );

  it("of both by somebody else changes neither", () => {
    expect(refusalCode(changeComment(comment(), { body: "x", resolved: true }, other, now))).toBe("FORBIDDEN");
  });
});

it("a comment is removed by its author, an admin or the owner", () => {
  const owner = { role: "owner", isOwn: false } as const;
  const codes = [author, admin, owner, other].map((who) => refusalCode(mayRemoveComment(who)));
  expect(codes).toEqual([null, null, null, "FORBIDDEN"]);
});

describe("the agent reads", () => {
  it("file, side, lines, the lines as they were, and what is said", () => {
    const one = comment({
      side: "old",
      startLineNumber: 7,
      endLineNumber: 7,
      lineSnapshot: "x\r\n",
      body: "Why?\nTell.",
    });
    expect(reviewFeedback([comment(), one])).toBe(`Review comments on your changes:

src/board.js, lines 3-4 (after the change):
> const a = 1;
> const b = 2;
Name this.

src/board.js, line 7 (before the change):
> x
Why?
Tell.`);
  });

  it("an empty line of the lines as one, and no lines as none", () => {
    expect(reviewFeedback([comment({ lineSnapshot: "a\n\nb" })])).toContain("\n> a\n>\n> b\nName this.");
    expect(reviewFeedback([comment({ lineSnapshot: "" })])).toContain("(after the change):\nName this.");
  });

  it("nothing where there are none", () => {
    expect(reviewFeedback([])).toBe("");
  });
});
