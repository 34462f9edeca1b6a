import { describe, expect, it } from "vitest";
import { callerOf, type Key, type User } from "../../../src/rules/access/caller.ts";

const user: User = { id: "usr_a", name: "A", email: "a@example.com", imageUrl: null };
const blank: Key = {
  id: "key",
  kind: "api-key",
  userId: null,
  workspaceId: null,
  sessionId: null,
  turnId: null,
  expiresAt: null,
  lastUsedAt: null,
  role: null,
};
const agent: Key = { ...blank, kind: "agent", workspaceId: "ws_a", sessionId: "session", turnId: "turn" };
const relay: Key = { ...blank, kind: "relay", workspaceId: "ws_a" };

describe.each(["browser", "api-key"] as const)("a key of the kind %s", (kind) => {
  it("is its user, whatever they act in, and writes in their name", () => {
    expect(callerOf({ ...blank, kind, userId: user.id }, user, "ws_b")).toEqual({
      keyId: "key",
      facts: { kind },
      user,
      workspaceId: null,
      turnId: null,
      author: { kind: "member", userId: "usr_a", name: "A", email: "a@example.com", imageUrl: null },
    });
  });

  it("is nobody without a user", () => {
    expect(callerOf({ ...blank, kind }, null, null)).toBeNull();
  });
});

describe("an agent token", () => {
  it("acts as the Assignee who sent the turn, and writes as its session", () => {
    expect(callerOf({ ...agent, userId: user.id }, user, "ws_a")).toEqual({
      keyId: "key",
      facts: { kind: "agent", sameWorkspace: true, assigneeSentTurn: true },
      user,
      workspaceId: "ws_a",
      turnId: "turn",
      author: { kind: "session", sessionId: "session" },
    });
  });

  it("acts as nobody when somebody else sent the turn", () => {
    const caller = callerOf(agent, null, "ws_a");
    expect(caller?.user).toBeNull();
    expect(caller?.facts).toEqual({ kind: "agent", sameWorkspace: true, assigneeSentTurn: false });
  });

  it("of a user who is gone stands for nobody, rather than for an agent that acts as nobody", () => {
    expect(callerOf({ ...agent, userId: "usr_gone" }, null, "ws_a")).toBeNull();
  });

  it("without a session is the Lead's: it acts for its member, and writes in their name", () => {
    expect(callerOf({ ...agent, sessionId: null, userId: user.id }, user, "ws_a")).toMatchObject({
      facts: { kind: "agent", sameWorkspace: true, assigneeSentTurn: true },
      user,
      workspaceId: "ws_a",
      author: { kind: "member", userId: "usr_a" },
    });
  });

  it("is bound to a workspace, and to a session or a member, or stands for nobody", () => {
    expect(callerOf({ ...agent, workspaceId: null }, null, null)).toBeNull();
    expect(callerOf({ ...agent, sessionId: null }, null, null)).toBeNull();
  });
});

describe("a relay key", () => {
  it("stands for no user", () => {
    expect(callerOf(relay, null, "ws_a")).toEqual({
      keyId: "key",
      facts: { kind: "relay", sameWorkspace: true },
      user: null,
      workspaceId: "ws_a",
      turnId: null,
      author: { kind: "relay" },
    });
  });

  it("is bound to a workspace, or stands for nobody", () => {
    expect(callerOf({ ...relay, workspaceId: null }, null, null)).toBeNull();
  });
});

it("a key that is bound to one workspace knows another", () => {
  for (const key of [agent, relay]) {
    expect(callerOf(key, null, "ws_b")?.facts).toMatchObject({ sameWorkspace: false });
    expect(callerOf(key, null, null)?.facts).toMatchObject({ sameWorkspace: true });
  }
});
