// A queued message that is sent immediately, before the others: decisions, "Turns and Up next".
import { describe, expect, it } from "vitest";
import type { Actor, Author } from "../../../src/access/rules/actor.ts";
import type { Role } from "../../../src/access/rules/membership.ts";
import { pauseReasons } from "../../../src/chat/rules/queue-pause.ts";
import type { TurnStatus } from "../../../src/chat/rules/turn.ts";
import type { RefusalCode } from "../../../src/rules/refusal.ts";
import { sendQueued } from "../../../src/session/rules/send.ts";
import type { SessionState } from "../../../src/session/rules/session.ts";
import {
  accepted,
  acquired,
  byAuthor,
  byMember,
  cron,
  member,
  noRoom,
  now,
  otherSession,
  refusalCode,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../../support/session-state.ts";

const bob = (role: Role) => byMember("usr_bob", role);
const ids = ({ chat: { upNext } }: SessionState) => upNext.map(({ id }) => id);

interface Wish {
  facts?: object;
  hasLeft?: boolean;
  author?: Author;
  by?: Actor;
  messageId?: string;
}

/** Sends `b` of `a`, `b` and `c`, all by one author, who sends it unless another user is named. */
function sendB(changes: Parameters<typeof sessionState>[0] = {}, wish: Wish = {}) {
  const { facts = {}, hasLeft = false, author = member(), ...command } = wish;
  const upNext = waiting("a", "b", "c").map((message) => ({ ...message, author }));
  const by = byAuthor(author, "usr_ada");
  return sendQueued(
    sessionState({ upNext, ...changes }),
    { messageId: "b", turnId: "turn-9", by, ...command },
    { ...sendFacts(facts), hasLeft },
    now,
  );
}

describe("a queued message that is sent immediately", () => {
  it.each<[TurnStatus | null]>([[null], ["completed"], ["failed"], ["cancelled"], ["awaiting_response"]])(
    "starts a turn before the others when the last one is %s, and the others keep their order",
    (status) => {
      const { state, result, effects } = accepted(sendB({ turn: status && turn(status) }));
      expect(result).toEqual({ delivery: "job", turnId: "turn-9", turnNumber: status === null ? 1 : 2 });
      expect(ids(state)).toEqual(["a", "c"]);
      expect(state.chat.newMessages).toMatchObject([
        { id: "b", turnId: "turn-9", content: "content of b", delivery: "job" },
      ]);
      expect(effects).toContainEqual({ type: "start-turn", id: "turn-9" });
    },
  );

  it.each(pauseReasons)("ends a pause after %s", (reason) => {
    const pause = { reason, pausedAt: now - 1 };
    expect(accepted(sendB({ turn: turn("completed"), pause })).state.chat.pause).toBeNull();
  });

  it.each<[TurnStatus]>([["pending"], ["running"]])("is refused while a turn is %s", (status) => {
    expect(refusalCode(sendB({ turn: turn(status) }))).toBe("JOB_IN_PROGRESS");
  });

  it.each<[object, RefusalCode | null]>([
    [{ sandbox: null }, null],
    [{ sandbox: "starting" }, "SANDBOX_STARTING"],
    [{ sandbox: null, isHeldByDeploy: true }, "DEPLOY_ACTIVE"],
    [{ sandbox: null, ...noRoom() }, "SANDBOX_LIMIT_REACHED"],
    [{ isBlockedOnBilling: true }, "CREDIT_LIMIT_REACHED"],
  ])("needs what a message needs that starts a turn, %j: %s", (facts, code) => {
    expect(refusalCode(sendB({}, { facts }))).toBe(code);
  });

  it.each<[string, Wish, RefusalCode]>([
    ["by another member", { by: bob("member") }, "FORBIDDEN"],
    ["by an admin, for it is its author's", { by: bob("admin") }, "FORBIDDEN"],
    ["by the owner, for it is its author's", { by: bob("owner") }, "FORBIDDEN"],
    ["by an author who left the workspace", { by: byMember("usr_ada", null) }, "FORBIDDEN"],
    ["that has left", { messageId: "z", hasLeft: true }, "QUEUED_MESSAGE_GONE"],
    ["that never was", { messageId: "z" }, "NOT_FOUND"],
  ])("%s is refused", (_, wish, code) => {
    expect(refusalCode(sendB({}, wish))).toBe(code);
  });

  it.each(["backlog", "completed", "archived"] as const)("in a session that is %s is refused", (status) => {
    expect(refusalCode(sendB({ session: { status } }))).toBe("BAD_REQUEST");
  });

  it("resumes a session Under Review if a member wrote it, and its pull request becomes a draft again", () => {
    const session = { status: "under-review", prNumber: 7, prState: "open" } as const;
    const { state } = accepted(sendB({ session }, { facts: { ...acquired({ pullRequest: "draft" }) } }));
    expect(state.session).toMatchObject({ status: "active", prState: "draft" });
  });

  it.each<[string, Author]>([
    ["a cron", cron],
    ["another session", otherSession],
  ])("does not resume a session Under Review when %s wrote it", (_, author) => {
    expect(refusalCode(sendB({}, { author }))).toBeNull();
    expect(refusalCode(sendB({ session: { status: "under-review" } }, { author }))).toBe("SESSION_UNDER_REVIEW");
  });

  it("makes its author the Assignee of an unassigned session", () => {
    const { session } = accepted(sendB({ session: { assignee: null } })).state;
    expect(session.assignee).toEqual({ kind: "member", userId: "usr_ada", name: "usr_ada", imageUrl: null });
  });

  it("runs on the session's model, with a new agent if that is another provider's now", () => {
    const chosen = { model: "openai:gpt__high" };
    const { state } = accepted(sendB({ turn: turn("completed"), ...chosen }));
    expect(state.chat.turn).toMatchObject({ ...chosen, isHandover: true, conversationId: "turn-9" });
    expect(state.chat).toMatchObject({ ...chosen, conversationId: "turn-9" });
  });

  it("chooses a model for a session without one", () => {
    expect(accepted(sendB({ model: null })).state.chat.turn?.model).toBe("anthropic:opus__high");
  });
});
