import { describe, expect, it } from "vitest";
import { createSession, createTitle, type NewSession, priorities } from "../../../src/session/rules/session.ts";
import { sessionStatuses } from "../../../src/session/rules/status.ts";
import { byAuthor, byMember, cron, now, otherSession, relay } from "../../support/session-state.ts";

const wish: NewSession = {
  id: "0199f3a2-7c1e-7b40-9d55-0c2f8e6a91b3",
  workspaceId: "ws_1",
  projectId: "project-1",
  title: "Fix the departures board",
  prompt: null,
  status: "active",
  priority: "none",
  model: null,
  targetBranch: "main",
  sandboxKey: "s0123456789abcdef",
  conversationId: "conversation-1",
  assignee: null,
};

describe("a session's wire values", () => {
  it("are the contract's, in its order", () => {
    expect(sessionStatuses).toEqual(["backlog", "active", "under-review", "completed", "archived"]);
    expect(priorities).toEqual(["none", "low", "medium", "high", "urgent"]);
  });
});

describe("a new session", () => {
  it("that is Active is started and has its branch", () => {
    const { session } = createSession(wish, byMember(), now).state;
    expect(session).toMatchObject({ status: "active", branch: "svc/fix-the-departures-board-6a91b3", startedAt: now });
  });

  it("in the Backlog has no branch until it is started", () => {
    const { session } = createSession({ ...wish, status: "backlog", prompt: "Later." }, byMember(), now).state;
    expect(session).toMatchObject({ status: "backlog", prompt: "Later.", branch: null, startedAt: null });
  });

  it("has no turn, no queued message, no pull request and no end", () => {
    const { session, chat } = createSession(wish, byMember(), now).state;
    expect(chat).toMatchObject({ turn: null, upNext: [], steers: [], pause: null, clearedAt: null });
    expect(session).toMatchObject({ prUrl: null, prNumber: null, prState: null, isBehind: false, endedAt: null });
    expect(session).toMatchObject({ command: null, createdAt: now, updatedAt: now });
  });

  it("keeps the fields that it was created with", () => {
    const { model, conversationId, ...record } = wish;
    expect(createSession(wish, byMember(), now).state).toMatchObject({
      session: record,
      chat: { model, conversationId },
    });
  });

  it.each([
    ["a member", byMember(), "usr_ada", null],
    ["the agent of a session, for its member", byAuthor(otherSession, "usr_ada"), "usr_ada", otherSession],
    ["the agent of a session, for nobody", byAuthor(otherSession), null, otherSession],
    ["a cron run, whoever created the cron", byAuthor(cron, "usr_ada"), null, cron],
    ["a relay", byAuthor(relay), null, relay],
  ])("has its creator: %s", (_, by, createdBy, filedBy) => {
    expect(createSession(wish, by, now).state.session).toMatchObject({ createdBy, filedBy });
  });

  it("is shown in lists", () => {
    expect(createSession(wish, byMember(), now).effects).toEqual([{ type: "index-session" }]);
  });
});

describe("a title made from a message", () => {
  it.each([
    ["takes the first line that says something", "\n\n  Fix it.  \r\nThen push.", "Fix it."],
    ["takes a line of 80 characters whole", "x".repeat(80), "x".repeat(80)],
    ["cuts a longer one to 80, and shows that", "x".repeat(81), `${"x".repeat(79)}…`],
    ["ends on a word, not on a space", `${"x".repeat(78)} yy`, `${"x".repeat(78)}…`],
    ["cuts no character in two", "🚆".repeat(81), `${"🚆".repeat(79)}…`],
    ["is never empty", " \n ", "Untitled session"],
  ])("%s", (_, text, title) => {
    expect(createTitle(text)).toBe(title);
  });
});
