import { describe, expect, it } from "vitest";
import type { RefusalCode } from "../../../src/rules/refusal.ts";
import type { NewSession } from "../../../src/session/rules/session.ts";
import { activate, startSession } from "../../../src/session/rules/start.ts";
import type { SessionStatus } from "../../../src/session/rules/status.ts";
import {
  accepted,
  byMember,
  noRoom,
  now,
  refusalCode,
  sendCommand,
  sendFacts,
  sessionState,
} from "../../support/session-state.ts";

const wish: NewSession = {
  id: "0197a1b2-0000-7000-8000-000000abcdef",
  workspaceId: "ws_1",
  projectId: "project-1",
  title: "Fix the board",
  prompt: null,
  status: "active",
  priority: "none",
  model: null,
  targetBranch: "main",
  sandboxKey: "s0123456789abcdef",
  conversationId: "conversation-1",
  assignee: null,
};

const by = byMember();

describe("a session that begins with a message", () => {
  it("has its first turn, and both or neither are stored", () => {
    const first = { command: sendCommand(), facts: sendFacts({ sandbox: null }) };
    const { state, result, effects } = accepted(startSession(wish, { by, first }, now));
    expect(result).toEqual({ delivery: "job", turnId: "turn-9", turnNumber: 1 });
    expect(state.chat.turn).toMatchObject({ number: 1, status: "pending" });
    expect(state.chat.newMessages).toMatchObject([{ id: "message-1", turnId: "turn-9", content: "Fix it." }]);
    expect(state.session).toMatchObject({ status: "active", branch: "svc/fix-the-board-abcdef", startedAt: now });
    expect(effects).toContainEqual({ type: "start-turn", id: "turn-9" });
  });

  it.each<[RefusalCode, object]>([
    ["SANDBOX_LIMIT_REACHED", { ...noRoom() }],
    ["DEPLOY_ACTIVE", { isHeldByDeploy: true }],
    ["CREDIT_LIMIT_REACHED", { isBlockedOnBilling: true }],
  ])("is not created at all when its turn cannot start: %s", (code, facts) => {
    const first = { command: sendCommand(), facts: sendFacts({ sandbox: null, ...facts }) };
    expect(refusalCode(startSession(wish, { by, first }, now))).toBe(code);
  });

  it("cannot be in the Backlog", () => {
    const first = { command: sendCommand(), facts: sendFacts() };
    expect(refusalCode(startSession({ ...wish, status: "backlog" }, { by, first }, now))).toBe("BAD_REQUEST");
  });

  it.each(["active", "backlog"] as const)("without one is %s, has no turn, and is shown in lists", (status) => {
    const { state, result, effects } = accepted(startSession({ ...wish, status }, { by, first: null }, now));
    expect([state.session.status, state.chat.turn, result]).toEqual([status, null, null]);
    expect(effects).toEqual([{ type: "index-session" }]);
  });

  it.each([
    ["anthropic:sonnet__low", "anthropic:sonnet__low"],
    [null, "anthropic:haiku__low"],
  ])("created on the model %s runs its first turn on %s", (model, ranOn) => {
    const first = { command: sendCommand(), facts: sendFacts({ workspaceDefaultModel: "anthropic:haiku__low" }) };
    expect(accepted(startSession({ ...wish, model }, { by, first }, now)).state.chat.turn?.model).toBe(ranOn);
  });
});

describe("an activation", () => {
  const { body: _, ...command } = sendCommand();
  const backlog = (changes = {}, model: string | null = "anthropic:opus__high") =>
    sessionState({ model, session: { status: "backlog", branch: null, startedAt: null, ...changes } });

  it("gives the session its branch and sends its prompt", () => {
    const { state, result } = accepted(
      activate(backlog({ prompt: "Do it." }), command, sendFacts({ sandbox: null }), now),
    );
    expect(state.session).toMatchObject({ status: "active", branch: "svc/fix-the-board-sion-1", startedAt: now });
    expect(result).toEqual({ delivery: "job", turnId: "turn-9", turnNumber: 1 });
    expect(state.chat.newMessages.map(({ content }) => content)).toEqual(["Do it."]);
  });

  it.each([[null], [""], ["  \n"]])("of one whose prompt is %o starts no turn", (prompt) => {
    const { state, result } = accepted(activate(backlog({ prompt }), command, sendFacts(), now));
    expect([state.session.status, state.chat.turn, result]).toEqual(["active", null, null]);
  });

  it.each<[SessionStatus]>([["active"], ["under-review"], ["completed"], ["archived"]])(
    "of one that is %s is refused",
    (status) => {
      expect(refusalCode(activate(sessionState({ session: { status } }), command, sendFacts(), now))).toBe(
        "BAD_REQUEST",
      );
    },
  );

  it("on a model that cannot be run is refused with the reason", () => {
    const refused = activate(backlog({ prompt: "Do it." }, "openai:gpt__high"), command, sendFacts(), now);
    expect(refused).toMatchObject({ code: "BAD_REQUEST", message: expect.stringMatching(/cannot run openai/) });
  });

  it("on a model that is no longer in the catalog is refused with the reason", () => {
    const refused = activate(backlog({}, "anthropic:gone__high"), command, sendFacts(), now);
    expect(refused).toMatchObject({ code: "BAD_REQUEST", message: expect.stringMatching(/anthropic:gone__high/) });
  });

  it.each<[object, RefusalCode]>([
    [{ ...noRoom() }, "SANDBOX_LIMIT_REACHED"],
    [{ isHeldByDeploy: true }, "DEPLOY_ACTIVE"],
    [{ isBlockedOnBilling: true }, "CREDIT_LIMIT_REACHED"],
  ])("whose prompt cannot start its turn, %j, is refused; without a prompt it is not", (changes, code) => {
    const facts = sendFacts({ sandbox: null, ...changes });
    expect(refusalCode(activate(backlog({ prompt: "Do it." }), command, facts, now))).toBe(code);
    expect(accepted(activate(backlog(), command, facts, now)).state.session.status).toBe("active");
  });

  it("assigns an unassigned session to the user who starts it with its prompt", () => {
    const state = backlog({ prompt: "Do it.", assignee: null });
    const { session } = accepted(activate(state, command, sendFacts(), now)).state;
    expect(session.assignee).toMatchObject({ kind: "member", userId: "usr_ada" });
  });

  it.each([["Do it."], [null]])("is shown in lists, and keeps the prompt: %s", (prompt) => {
    const { state, effects } = accepted(activate(backlog({ prompt }), command, sendFacts(), now));
    expect(effects).toContainEqual({ type: "index-session" });
    expect(state.session).toMatchObject({ prompt, updatedAt: now, startedAt: now });
  });
});
