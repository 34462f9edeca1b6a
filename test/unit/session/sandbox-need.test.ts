// Part 1, "What the session needs": every row of it, for every kind of sender.

import { describe, expect, it } from "vitest";
import type { Author } from "../../../src/access/rules/actor.ts";
import type { RefusalCode } from "../../../src/rules/refusal.ts";
import { type SendFacts, send } from "../../../src/session/rules/send.ts";
import type { Session } from "../../../src/session/rules/session.ts";
import type { SessionStatus } from "../../../src/session/rules/status.ts";
import { endTurn } from "../../../src/session/rules/turn-end.ts";
import {
  accepted,
  acquired,
  byAuthor,
  cron,
  member,
  noRoom,
  now,
  otherSession,
  refusalCode,
  relay,
  sendCommand,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../../support/session-state.ts";

const everyone: [string, Author][] = [
  ["a member", member()],
  ["a cron", cron],
  ["another session", otherSession],
  ["a chat-tool relay", relay],
];
const notMembers = everyone.slice(1);

type Circumstances = Partial<SendFacts>;
const running: Circumstances = { sandbox: "running" };
const starting: Circumstances = { sandbox: "starting" };
const none: Circumstances = { sandbox: null };
const deploying: Circumstances = { sandbox: null, isHeldByDeploy: true };
const full: Circumstances = { sandbox: null, ...noRoom() };
const unbranched: Partial<Session> = { branch: null };

describe("a message that would start a turn", () => {
  const rows: [row: string, SessionStatus, Partial<Session>, Circumstances, RefusalCode | null][] = [
    ["Active, sandbox running", "active", {}, running, null],
    ["Active, sandbox running, at the limit", "active", {}, { ...running, ...noRoom() }, null],
    ["Active, sandbox running, the project deploys", "active", {}, { ...running, isHeldByDeploy: true }, null],
    ["Active, sandbox paused or none", "active", {}, none, null],
    ["Active, sandbox starting", "active", {}, starting, "SANDBOX_STARTING"],
    ["Active, no sandbox, no branch", "active", unbranched, none, "BAD_REQUEST"],
    ["Active, no sandbox, the project deploys", "active", {}, deploying, "DEPLOY_ACTIVE"],
    [
      "Active, no sandbox, at its owner's limit",
      "active",
      {},
      { ...full, ...noRoom("owner") },
      "SANDBOX_LIMIT_REACHED",
    ],
    ["Active, no sandbox, at the limit", "active", {}, full, "SANDBOX_LIMIT_REACHED"],
    ["Active, blocked on billing", "active", {}, { ...running, isBlockedOnBilling: true }, "CREDIT_LIMIT_REACHED"],
    ["Backlog", "backlog", unbranched, none, "BAD_REQUEST"],
    ["Completed", "completed", {}, none, "BAD_REQUEST"],
    ["Archived", "archived", {}, none, "BAD_REQUEST"],
    ["Completed, blocked on billing", "completed", {}, { ...none, isBlockedOnBilling: true }, "BAD_REQUEST"],
  ];
  const forEveryone = rows.flatMap(([row, status, session, facts, code]) =>
    everyone.map(([sender, author]) => ({ row, sender, author, code, facts, session: { ...session, status } })),
  );

  it.each(forEveryone)("$row, from $sender: $code", ({ author, session, facts, code }) => {
    const state = sessionState({ session, turn: turn("completed") });
    const decision = send(state, sendCommand({ by: byAuthor(author) }), sendFacts(facts), now);
    expect(refusalCode(decision)).toBe(code);
    if (code === null) expect(accepted(decision).result.delivery).toBe("job");
  });
});

it.each<[SessionStatus, RegExp]>([
  ["backlog", /Activate it first/],
  ["completed", /has ended/],
  ["archived", /has ended/],
])("a message to a session that is %s is refused with the reason", (status, why) => {
  const refused = send(sessionState({ session: { status } }), sendCommand(), sendFacts(), now);
  expect(refused).toMatchObject({ message: expect.stringMatching(why) });
});

describe("Under Review", () => {
  const underReview = (changes: Parameters<typeof sessionState>[0] = {}) =>
    sessionState({
      turn: turn("completed"),
      pause: { reason: "under_review", pausedAt: now - 1 },
      ...changes,
      session: { status: "under-review", prNumber: 7, prState: "open", ...changes.session },
    });
  const draft: Circumstances = acquired({ pullRequest: "draft" });

  it.each<[string, Circumstances, RefusalCode | null]>([
    ["whose sandbox runs", running, null],
    ["without a sandbox", none, null],
    ["whose sandbox starts", starting, "SANDBOX_STARTING"],
    ["without a sandbox while the project deploys", deploying, "DEPLOY_ACTIVE"],
    [
      "without a sandbox at the limit",
      { sandbox: null, ...acquired({ pullRequest: "draft", slot: { full: "workspace" } }) },
      "SANDBOX_LIMIT_REACHED",
    ],
    ["of a workspace blocked on billing", { isBlockedOnBilling: true }, "CREDIT_LIMIT_REACHED"],
  ])("a member's message to a session %s: %s", (_, facts, code) => {
    expect(refusalCode(send(underReview(), sendCommand(), sendFacts(facts), now))).toBe(code);
  });

  const everySandbox = [running, starting, none, deploying, full];
  it.each(notMembers)("%s is refused with it, whatever the sandbox and the turn", (_, author) => {
    for (const present of [null, turn("running"), turn("completed")]) {
      for (const facts of everySandbox) {
        const decision = send(
          underReview({ turn: present }),
          sendCommand({ by: byAuthor(author) }),
          sendFacts(facts),
          now,
        );
        expect(refusalCode(decision)).toBe("SESSION_UNDER_REVIEW");
      }
    }
  });

  it("a member's message makes the session Active, its pull request a draft, and starts its turn", () => {
    const { state, result, effects } = accepted(send(underReview(), sendCommand(), sendFacts(draft), now));
    expect(state.session).toMatchObject({ status: "active", prState: "draft" });
    expect(result).toMatchObject({ delivery: "job" });
    expect(state.chat.pause).toBeNull();
    expect(effects).toContainEqual({ type: "index-session" });
  });

  it("a pull request that is a draft already does not change", () => {
    const state = underReview({ session: { prState: "draft" } });
    const { session } = accepted(
      send(state, sendCommand(), sendFacts({ ...acquired({ pullRequest: null }) }), now),
    ).state;
    expect(session).toMatchObject({ status: "active", prState: "draft" });
  });

  it("a member's message is queued while the turn still runs; the session is Active, and the queue continues after that turn", () => {
    const state = underReview({ turn: turn("running"), upNext: waiting("a") });
    const sent = accepted(send(state, sendCommand(), sendFacts(draft), now));
    expect(sent.result).toEqual({ delivery: "queued", queuedMessageId: "message-1" });
    expect(sent.state.session).toMatchObject({ status: "active", prState: "draft" });
    expect(sent.state.chat.upNext.map(({ id }) => id)).toEqual(["a", "message-1"]);
    expect(sent.state.chat.pause).toBeNull();
    const command = {
      turnId: "turn-1",
      end: { status: "completed" as const, error: null, errorCode: null },
      nextTurnId: "turn-2",
    };
    const { state: after } = accepted(endTurn(sent.state, command, now));
    expect(after.chat.turn).toMatchObject({ id: "turn-2", status: "pending" });
    expect(after.chat.upNext.map(({ id }) => id)).toEqual(["message-1"]);
  });
});

describe("a message that would wait", () => {
  it.each<[string, Circumstances]>([
    ["starts", starting],
    ["is gone", none],
    ["is gone while the project deploys", deploying],
    ["is gone at the limit", full],
  ])("needs nothing of the sandbox: it %s", (_, facts) => {
    for (const [, author] of everyone) {
      const state = sessionState({ turn: turn("pending") });
      const { result } = accepted(send(state, sendCommand({ by: byAuthor(author) }), sendFacts(facts), now));
      expect(result.delivery).toBe("queued");
    }
  });

  it("is refused if the workspace is blocked on billing", () => {
    const state = sessionState({ turn: turn("running") });
    const blocked = sendFacts({ isBlockedOnBilling: true });
    expect(refusalCode(send(state, sendCommand(), blocked, now))).toBe("CREDIT_LIMIT_REACHED");
  });
});
