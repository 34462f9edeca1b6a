// The request to ship, by what happens to it: decisions, section 8, and Part 1, "Chat session".
import { describe, expect, test } from "vitest";
import { findNeedsYouReason } from "../../../../src/session/rules/needs-you.ts";
import {
  type CodeHostEvent,
  findEndByPullRequest,
  handleCodeHostEvent,
} from "../../../../src/session/rules/pull-request/code-host-event.ts";
import {
  recordShipCall,
  recordShipOutcome,
  requestShip,
  type ShipOutcome,
} from "../../../../src/session/rules/pull-request/ship.ts";
import type { Session } from "../../../../src/session/rules/session.ts";
import { endTurn } from "../../../../src/session/rules/turn-end.ts";
import { accepted, now, relay, said, sessionState, turn } from "../../../support/session-state.ts";

const open = { prNumber: 7, prUrl: "https://github.example/acme/app/pull/7", prState: "open", prBase: "main" } as const;
const report = { changedAt: now - 10, sha: "a", shaAt: now - 10, checks: {} };
const running = turn("running");
const asking = (session: Partial<Session> = {}) => sessionState({ turn: running, session: { ...open, ...session } });
const waiting = (session: Partial<Session> = {}) =>
  sessionState({ session: { ...open, prReport: report, ship: { turnId: "turn-before", sha: "a" }, ...session } });
const shipped = { turnId: running.id, sha: "a" };
const attempted = { ...shipped, isAttempted: true } as const;
const listEffectTypes = (decided: { effects: { type: string }[] }) => decided.effects.map((effect) => effect.type);

describe("asking", () => {
  test.each([
    ["no pull request", { prNumber: null, prState: null }, "There is no pull request yet."],
    ["one that is merged", { prState: "merged" }, "Pull request 7 is merged"],
    ["one that is closed", { prState: "closed" }, "Pull request 7 is closed"],
  ] as const)("with %s is refused", (_, session, message) => {
    expect(requestShip(asking(session), shipped, now)).toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining(message),
    });
  });

  test.each(["open", "draft"] as const)("with one that is %s stores the request for the commit", (prState) => {
    expect(accepted(requestShip(asking({ prState }), shipped, now)).state.session.ship).toEqual(attempted);
  });

  test("that is repeated in the same turn is accepted, even after a merge", () => {
    const again = asking({ prState: "merged", ship: { turnId: running.id, sha: null } });
    expect(accepted(requestShip(again, shipped, now)).state.session.ship).toEqual(attempted);
  });
});

describe("the note that a branch behind its target needs a person", () => {
  const earlier = { turnId: "turn-before", sha: null };
  const called = { turnId: running.id, sha: null };
  test.each<[string, ReturnType<typeof said>, Partial<Session>, Session["ship"]]>([
    ["ends with the call of the skill", said("/svc:ship"), {}, called],
    ["ends with the call after a refusal", said("/svc:ship now"), { ship: { ...earlier, isRefused: true } }, called],
    [
      "stays away after an earlier ship",
      said("/svc:ship"),
      { ship: { ...earlier, sha: "a" } },
      { ...earlier, sha: "a" },
    ],
    ["stays without a pull request to ship", said("/svc:ship"), { prState: "closed" }, null],
    ["stays after another skill", said("/svc:sync-branch"), {}, null],
    ["stays after a relay's message, which calls nothing", said("/svc:ship", relay), {}, null],
  ])("%s", (_, message, session, ship) => {
    const behind = asking({ isBehind: true, ...session });
    const { state } = accepted(recordShipCall(behind, { turnId: running.id, message }, now));
    expect(state.session.ship).toEqual(ship);
    if (state.session.prState === "open") expect(findNeedsYouReason(state)).toBe(ship === null ? "behind" : null);
  });

  test("is set again when the code host refuses the merge", () => {
    const state = asking({ isBehind: true, ship: shipped });
    expect(findNeedsYouReason(state)).toBeNull();
    const refused = recordShipOutcome(state, { sha: "a", outcome: { type: "refused", reason: "conflicts" } }, now);
    expect(findNeedsYouReason(accepted(refused).state)).toBe("behind");
  });
});

describe("an attempt", () => {
  const outcomes: [ShipOutcome, Partial<Session>, string[]][] = [
    [
      { type: "merged" },
      { prState: "merged", ship: { turnId: "turn-before", sha: null } },
      ["index-session", "follow-pull-request"],
    ],
    [
      { type: "waiting", checks: ["lint"] },
      { prState: "open", ship: { turnId: "turn-before", sha: "a" } },
      ["index-session"],
    ],
    [
      { type: "failed", checks: ["lint"] },
      { prState: "open", ship: { turnId: "turn-before", sha: null } },
      ["index-session"],
    ],
    [
      { type: "refused", reason: "conflicts" },
      { prState: "open", ship: { turnId: "turn-before", sha: null, isRefused: true } },
      ["index-session"],
    ],
  ];
  test.each(outcomes)("with the result %j is recorded", (outcome, session, effects) => {
    const settled = accepted(recordShipOutcome(waiting(), { sha: "a", outcome }, now));
    expect(settled.state.session).toMatchObject(session);
    expect(listEffectTypes(settled)).toEqual(effects);
  });

  test("that ends with waiting checks leaves the request, and no event from before it was ready counts", () => {
    const state = asking({ prState: "draft", prReport: report, ship: attempted });
    const outcome: ShipOutcome = { type: "waiting", checks: ["lint"], readyAt: now };
    const { session } = accepted(recordShipOutcome(state, { sha: "a", outcome }, now)).state;
    expect(session).toMatchObject({ prState: "open", prReport: { ...report, changedAt: now } });
    expect(session.ship).toEqual(shipped);
    const late: ShipOutcome = { type: "waiting", checks: [], readyAt: now - 20 };
    expect(accepted(recordShipOutcome(state, { sha: "a", outcome: late }, now)).state.session.prReport).toEqual(report);
  });

  test("for a commit that is no longer requested changes nothing", () => {
    const before = waiting({ ship: { turnId: "turn-before", sha: "b" } });
    expect(accepted(recordShipOutcome(before, { sha: "a", outcome: { type: "merged" } }, now)).state).toEqual(before);
  });

  test("that is refused during its turn is known as refused, and the next request starts over", () => {
    const outcome = { type: "refused", reason: "conflicts" } as const;
    const settled = accepted(recordShipOutcome(asking({ ship: shipped }), { sha: "a", outcome }, now));
    expect(settled.state.session.ship).toEqual({ ...shipped, sha: null, isRefused: true });
    expect(accepted(requestShip(settled.state, shipped, now)).state.session.ship).toEqual(attempted);
  });
});

describe("an event", () => {
  const check = {
    type: "check",
    check: "lint",
    sha: "a",
    begunAt: now - 5,
    changedAt: now,
    hasFailed: false,
  } as const;
  const pull = {
    type: "pull-request",
    number: 7,
    url: open.prUrl,
    state: "open",
    base: "main",
    sha: "a",
    changedAt: now,
  } as const;
  test.each([
    ["a check of the commit", check, "a", ["read-checks", "ship"]],
    ["a failed check of the commit", { ...check, hasFailed: true }, "a", ["index-session", "read-checks", "ship"]],
    ["a check of an older commit", { ...check, sha: "0", begunAt: now - 50 }, "a", []],
    ["a check of a newer commit", { ...check, sha: "b" }, null, ["read-checks"]],
    ["a change of its words", pull, "a", []],
    ["a newer commit", { ...pull, sha: "b" }, null, ["read-checks"]],
    ["that it is a draft", { ...pull, state: "draft" }, null, ["index-session"]],
    ["that it is closed", { ...pull, state: "closed" }, null, ["index-session", "follow-pull-request"]],
    ["that somebody merged it", { ...pull, state: "merged" }, null, ["index-session", "follow-pull-request"]],
  ] as const)("of %s", (_, event, sha, effects) => {
    const handled = accepted(handleCodeHostEvent(waiting(), event, now));
    expect(handled.state.session.ship?.sha).toBe(sha);
    expect(listEffectTypes(handled)).toEqual(effects);
  });

  test.each<[string, CodeHostEvent, string | null]>([
    ["a check of the commit", check, "a"],
    ["that it is still a draft", { ...pull, state: "draft" }, "a"],
    ["a newer commit", { ...pull, state: "draft", sha: "b" }, null],
    ["that it is closed", { ...pull, state: "closed" }, null],
  ])("of %s during the attempt to ship a draft", (_, event, sha) => {
    const state = asking({ prState: "draft", prReport: report, ship: attempted });
    expect(accepted(handleCodeHostEvent(state, event, now)).state.session.ship?.sha).toBe(sha);
  });
});

test("the later success of a failed check does not restore the merge", () => {
  const check = { type: "check", check: "lint", sha: "a", begunAt: now - 5 } as const;
  const failed = accepted(handleCodeHostEvent(waiting(), { ...check, changedAt: now, hasFailed: true }, now));
  const passed = accepted(handleCodeHostEvent(failed.state, { ...check, changedAt: now + 1, hasFailed: false }, now));
  expect(passed.state.session.ship).toEqual({ turnId: "turn-before", sha: "a", hasFailedCheck: true });
  const outcome: ShipOutcome = { type: "failed", checks: [] };
  const settled = accepted(recordShipOutcome(passed.state, { sha: "a", outcome }, now));
  expect(settled.state.session.ship).toEqual({ turnId: "turn-before", sha: null });
  expect(accepted(requestShip(asking(passed.state.session), shipped, now)).state.session.ship).toEqual(attempted);
});

describe("the turn that ships", () => {
  const end = { turnId: running.id, end: { status: "completed" } as const, nextTurnId: "turn-next" };

  test("is not ended by its own merge; the session ends afterwards, and no queued message is sent", () => {
    const merged = asking({ prState: "merged", ship: { ...shipped, sha: null } });
    expect(findEndByPullRequest(merged)).toBeNull();
    expect(findEndByPullRequest(asking({ prState: "merged" }))).toBe("completed");
    const ended = accepted(endTurn(merged, end, now));
    expect(ended.state.chat.turn).toMatchObject({ id: running.id, status: "completed" });
    expect(listEffectTypes(ended)).toContain("follow-pull-request");
  });

  test.each([
    ["completed", "a", "under-review"],
    ["completed", null, "active"],
    ["cancelled", "a", "active"],
  ] as const)("with the end %s and %s waiting has the session %s", (status, sha, after) => {
    const ended = accepted(endTurn(asking({ ship: { ...shipped, sha } }), { ...end, end: { status } }, now));
    expect(ended.state.session.status).toBe(after);
  });
});

test("a merge keeps its author as the first report of it says", () => {
  const mergedBy = { hostUserId: "9", login: "app[bot]" };
  const settle = (state: ReturnType<typeof waiting>) =>
    accepted(recordShipOutcome(state, { sha: "a", outcome: { type: "merged", mergedBy } }, now)).state.session.prReport;
  const before = waiting();
  expect(settle(before)).toMatchObject({ mergedBy });
  expect(settle({ ...before, session: { ...before.session, prReport: null } })).toMatchObject({ sha: "a", mergedBy });
  const told = { sha: "a", shaAt: 0, changedAt: 0, checks: {}, mergedBy: { hostUserId: "5", login: "ada" } };
  expect(settle({ ...before, session: { ...before.session, prReport: told } })).toEqual(told);
});
