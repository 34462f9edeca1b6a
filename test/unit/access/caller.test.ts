import { describe, expect, it } from "vitest";
import { findOwner, type RunWriter } from "../../../src/access/rules/actor.ts";
import { checkAssignment, findClientAgent, type Key, toCaller } from "../../../src/access/rules/caller.ts";
import type { Role, User } from "../../../src/access/rules/membership.ts";
import type { CronWriter } from "../../../src/cron/rules/last-writer.ts";

const user: User = { id: "usr_a", name: "A", email: "a@example.com", imageUrl: null };
const blank: Key = {
  id: "key",
  kind: "api-key",
  userId: null,
  workspaceId: null,
  sessionId: null,
  turnId: null,
  cronId: null,
  projectId: null,
  scopes: null,
  clientName: null,
  expiresAt: null,
  lastUsedAt: null,
  role: null,
  bounds: null,
  userSuspendedAt: null,
  workspaceSuspendedAt: null,
  writerRole: null,
};
const agent: Key = { ...blank, kind: "agent", workspaceId: "ws_a", sessionId: "session", turnId: "turn" };
const relay: Key = { ...blank, kind: "relay", workspaceId: "ws_a" };
const bounds = { writer: null, isAskedByAgent: false };
const run: Key = {
  ...blank,
  kind: "cron-run",
  workspaceId: "ws_a",
  projectId: "p_a",
  cronId: "cron",
  turnId: "run",
  bounds,
};
const byCreator = { writer: "creator", isAskedByAgent: false } as const;
const nowhere = { workspaceId: null, projectId: null, role: null };
const inA = { workspaceId: "ws_a", projectId: "p_a", role: "member" } as const;
const inB = { workspaceId: "ws_b", projectId: "p_b", role: "admin" } as const;

describe.each(["browser", "api-key"] as const)("a key of the kind %s", (kind) => {
  it("is its user, acting by hand, in any workspace", () => {
    expect(toCaller({ ...blank, kind, userId: user.id }, user, inB)).toEqual({
      keyId: "key",
      facts: { kind },
      user,
      workspaceId: null,
      projectId: null,
      turnId: null,
      expiresAt: null,
      actor: { type: "member", user, role: "admin" },
    });
  });

  it("is nobody without a user", () => {
    expect(toCaller({ ...blank, kind }, null, nowhere)).toBeNull();
  });
});

describe("an agent token", () => {
  it("acts as its session, for the Assignee who sent the turn", () => {
    expect(toCaller({ ...agent, userId: user.id }, user, inA)).toEqual({
      keyId: "key",
      facts: { kind: "agent", sameWorkspace: true, assigneeSentTurn: true },
      user,
      workspaceId: "ws_a",
      projectId: null,
      turnId: "turn",
      expiresAt: null,
      actor: { type: "session-agent", sessionId: "session", user, role: "member" },
    });
  });

  it("acts as nobody if somebody else sent the turn", () => {
    expect(toCaller(agent, null, { ...inA, role: null })).toMatchObject({
      facts: { kind: "agent", sameWorkspace: true, assigneeSentTurn: false },
      actor: { type: "session-agent", sessionId: "session", user: null, role: null },
      user: null,
    });
  });

  it("of a deleted user is refused, instead of acting as nobody", () => {
    expect(toCaller({ ...agent, userId: "usr_gone" }, null, inA)).toBeNull();
  });

  it("without a session belongs to the Lead, for its member", () => {
    expect(toCaller({ ...agent, sessionId: null, userId: user.id }, user, inA)).toMatchObject({
      facts: { kind: "agent", sameWorkspace: true, assigneeSentTurn: true },
      user,
      workspaceId: "ws_a",
      actor: { type: "lead", user, role: "member" },
    });
  });

  it("is bound to a workspace, and to a session or a member, or is refused", () => {
    expect(toCaller({ ...agent, workspaceId: null }, null, nowhere)).toBeNull();
    expect(toCaller({ ...agent, sessionId: null }, null, nowhere)).toBeNull();
  });
});

describe("an agent over MCP", () => {
  it("acts for the person whose API key it sends, and is not that person", () => {
    const caller = toCaller({ ...agent, kind: "api-key", workspaceId: null }, user, inA);
    expect(caller && findClientAgent(caller, "bot")).toEqual({
      ...caller,
      actor: { type: "client-agent", user, role: "member", client: "bot" },
    });
  });

  it.each(["browser", "agent"] as const)("is nobody with the credential of the kind %s", (kind) => {
    const caller = toCaller({ ...agent, kind }, user, inA);
    expect(caller && findClientAgent(caller, "bot")).toBeNull();
  });
});

describe("a relay key", () => {
  it("acts for no user", () => {
    expect(toCaller(relay, null, inA)).toEqual({
      keyId: "key",
      facts: { kind: "relay", sameWorkspace: true },
      user: null,
      workspaceId: "ws_a",
      projectId: null,
      turnId: null,
      expiresAt: null,
      actor: { type: "relay" },
    });
  });

  it("is bound to a workspace, or is refused", () => {
    expect(toCaller({ ...relay, workspaceId: null }, null, nowhere)).toBeNull();
  });
});

describe("a cron run's key", () => {
  const ofCreator: Key = { ...run, userId: user.id, role: "admin" };

  it("is the cron's creator while they are a member, in any project of the workspace", () => {
    expect(toCaller(ofCreator, user, { ...inA, projectId: "p_other", role: "admin" })).toEqual({
      keyId: "key",
      facts: { kind: "cron-run", sameWorkspace: true, sameProject: false, actsAsMember: true, ...byCreator },
      user,
      workspaceId: "ws_a",
      projectId: null,
      turnId: "run",
      expiresAt: null,
      actor: { type: "cron-run", cronId: "cron", runId: "run", user, role: "admin", writer: "creator" },
    });
  });

  it.each<[string, User | null]>([
    ["left the workspace", user],
    ["is deleted", null],
  ])("is nobody once the creator %s, and reaches only the run's project", (_, left) => {
    expect(toCaller({ ...ofCreator, role: null }, left, inA)).toEqual({
      keyId: "key",
      facts: { kind: "cron-run", sameWorkspace: true, sameProject: true, actsAsMember: false, ...byCreator },
      user: null,
      workspaceId: "ws_a",
      projectId: "p_a",
      turnId: "run",
      expiresAt: null,
      actor: { type: "cron-run", cronId: "cron", runId: "run", user: null, role: null, writer: "creator" },
    });
    const elsewhere = toCaller({ ...ofCreator, role: null }, left, { ...inA, projectId: "p_other" });
    expect(elsewhere?.facts).toMatchObject({ sameProject: false });
    expect(toCaller({ ...ofCreator, role: null }, left, nowhere)?.facts).toMatchObject({ sameProject: true });
  });

  it.each<[CronWriter, Role | null, { role: Role | null; writer: RunWriter; actsAsMember: boolean }]>([
    [{ userId: "usr_b", as: "person" }, "owner", { role: "admin", writer: "person", actsAsMember: true }],
    [{ userId: "usr_b", as: "person" }, "member", { role: "member", writer: "person", actsAsMember: true }],
    [{ userId: "usr_b", as: "person" }, null, { role: null, writer: "person", actsAsMember: false }],
    [{ userId: "usr_b", as: "agent" }, "member", { role: "member", writer: "agent", actsAsMember: true }],
    [{ userId: user.id, as: "agent" }, "admin", { role: "admin", writer: "agent", actsAsMember: true }],
    [{ userId: "usr_b", as: "run" }, "owner", { role: "admin", writer: "agent", actsAsMember: true }],
    [{ userId: "", as: "run" }, null, { role: null, writer: "agent", actsAsMember: false }],
  ])("of a cron that %o wrote, who is %s, has the lesser role", (writer, writerRole, { actsAsMember, ...expected }) => {
    const bounds = { writer, isAskedByAgent: true };
    const caller = toCaller({ ...ofCreator, bounds, writerRole }, user, { ...inA, role: "admin" });
    expect(caller?.facts).toMatchObject({ writer: expected.writer, isAskedByAgent: true, actsAsMember });
    expect(caller?.actor).toMatchObject({ ...expected, user: actsAsMember ? user : null });
    expect(caller?.projectId).toBe(actsAsMember ? null : "p_a");
    expect(caller && findOwner(caller.actor)).toBeNull();
  });

  it("is bound to a run, its cron, its project and its workspace, or is refused", () => {
    for (const lacking of [{ workspaceId: null }, { cronId: null }, { turnId: null }, { projectId: null }])
      expect(toCaller({ ...ofCreator, ...lacking }, user, inA)).toBeNull();
  });

  it("books to nobody: what it files is the service's", () => {
    expect(checkAssignment({ user, facts: run }, undefined)).toBeNull();
    for (const assigneeId of [null, user.id])
      expect(checkAssignment({ user, facts: run }, assigneeId)).toMatchObject({ code: "FORBIDDEN" });
  });
});

it("a key that is bound to a workspace refuses another", () => {
  for (const key of [agent, relay, run]) {
    expect(toCaller(key, null, inB)?.facts).toMatchObject({ sameWorkspace: false });
    expect(toCaller(key, null, nowhere)?.facts).toMatchObject({ sameWorkspace: true });
  }
});

it("a caller that acts for no member cannot assign a session, and one that acts for a member can assign anyone", () => {
  const mia: User = { id: "usr_mia", name: "Mia", email: "mia@example.com", imageUrl: null };
  for (const assigneeId of [null, undefined])
    expect(checkAssignment({ user: null, facts: relay }, assigneeId)).toBeNull();
  expect(checkAssignment({ user: null, facts: relay }, "usr_mia")).toMatchObject({ code: "FORBIDDEN" });
  expect(checkAssignment({ user: mia, facts: agent }, "usr_bob")).toBeNull();
});

describe("the key of a connected agent", () => {
  const client: Key = { ...blank, kind: "client", userId: user.id, scopes: ["read"], clientName: "Claude" };

  it.each([
    ["all workspaces", null, inB, true],
    ["its own workspace", "ws_b", inB, true],
    ["no workspace at all", "ws_a", nowhere, true],
    ["another workspace", "ws_a", inB, false],
  ] as const)("acts for its user as an agent, in %s", (_, workspaceId, actsIn, sameWorkspace) => {
    const caller = toCaller({ ...client, workspaceId }, user, actsIn);
    expect(caller).toMatchObject({
      facts: { kind: "client", sameWorkspace, scopes: ["read"] },
      actor: { type: "client-agent", user, role: actsIn.role, client: "Claude" },
      user,
      workspaceId,
    });
    expect(caller && findClientAgent(caller, "bot")).toBe(caller);
  });

  it("is nobody without a user, and may do nothing without scopes", () => {
    expect(toCaller(client, null, inA)).toBeNull();
    expect(toCaller({ ...client, scopes: null }, user, inA)?.facts).toMatchObject({ scopes: [] });
  });
});
