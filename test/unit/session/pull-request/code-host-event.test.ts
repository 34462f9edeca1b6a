import { describe, expect, it } from "vitest";
import { findNewVerdict } from "../../../../src/session/rules/activity-events.ts";
import {
  type BranchComparison,
  type CheckEvent,
  findEndByPullRequest,
  handleCodeHostEvent,
  hasFailedChecks,
  type PullRequestEvent,
  recordBehind,
  recordTargetCommit,
  recordVerdict,
} from "../../../../src/session/rules/pull-request/code-host-event.ts";
import { type PullRequestState, pullRequestStates } from "../../../../src/session/rules/pull-request/state.ts";
import type { SessionState } from "../../../../src/session/rules/session.ts";
import { type SessionStatus, sessionStatuses } from "../../../../src/session/rules/status.ts";
import { accepted, now, sessionState } from "../../../support/session-state.ts";

const at = now - 5_000;
const url = "https://github.example/acme/app/pull/7";
const pullRequest = (state: PullRequestState, changes: Partial<PullRequestEvent> = {}): PullRequestEvent => ({
  type: "pull-request",
  number: 7,
  url,
  state,
  base: "main",
  sha: "a",
  changedAt: at,
  ...changes,
});
const check = (hasFailed: boolean, changes: Partial<CheckEvent> = {}): CheckEvent => ({
  type: "check",
  check: "lint",
  sha: "a",
  begunAt: at,
  changedAt: at,
  hasFailed,
  ...changes,
});
const begun = (changes: Partial<CheckEvent> = {}) => check(false, { hasStarted: true, ...changes });
const handle = (state: SessionState, ...events: Parameters<typeof handleCodeHostEvent>[1][]) =>
  events.reduce((before, one) => accepted(handleCodeHostEvent(before, one, now)).state, state);
const effects = (state: SessionState, events: Parameters<typeof handleCodeHostEvent>[1]) =>
  accepted(handleCodeHostEvent(state, events, now)).effects.map((effect) => effect.type);

describe("an event of a pull request", () => {
  /**
   * Part 1, "Session statuses": the new status of a session in each status, by the state of its
   * pull request.
   */
  const ends: Partial<Record<PullRequestState, SessionStatus>> = { merged: "completed", closed: "archived" };
  const rows = sessionStatuses.flatMap((status) => pullRequestStates.map((state) => [status, state] as const));

  it.each(rows)("to a session that is %s: %s", (status, state) => {
    const before = sessionState({ session: { status, prNumber: 7, prState: "open" } });
    const { state: after, effects } = accepted(handleCodeHostEvent(before, pullRequest(state), now));
    expect(after.session).toMatchObject({ status, prState: state, prUrl: url });
    const isOpen = status === "active" || status === "under-review";
    expect(findEndByPullRequest(after)).toBe((isOpen && ends[state]) || null);
    const follows = effects.some((effect) => effect.type === "follow-pull-request");
    expect(follows).toBe(isOpen && ends[state] !== undefined);
  });

  it("gives a session the pull request that a person opened", () => {
    const { session } = handle(sessionState(), pullRequest("draft"));
    expect(session).toMatchObject({ prNumber: 7, prUrl: url, prState: "draft", updatedAt: now });
  });

  it("does not affect a session with another pull request", () => {
    const before = sessionState({ session: { prNumber: 6, prState: "open" } });
    expect(handle(before, pullRequest("merged"))).toBe(before);
  });

  it("that is repeated changes nothing", () => {
    const once = handle(sessionState(), pullRequest("open"));
    const { state, effects } = accepted(handleCodeHostEvent(once, pullRequest("open"), now + 1_000));
    expect([state, effects]).toEqual([once, []]);
  });

  it("that is older than the known state changes nothing", () => {
    const reopened = handle(
      sessionState(),
      pullRequest("open", { changedAt: at + 2_000 }),
      pullRequest("closed", { changedAt: at }),
    );
    expect(reopened.session.prState).toBe("open");
    expect(findEndByPullRequest(reopened)).toBeNull();
  });

  it("of a merge always counts, and no later event does", () => {
    const merged = handle(sessionState(), pullRequest("open", { changedAt: at + 2_000 }), pullRequest("merged"));
    expect(merged.session.prState).toBe("merged");
    expect(handle(merged, pullRequest("open", { changedAt: at + 9_000 })).session.prState).toBe("merged");
  });

  it("that is closed is followed until the session has ended, or it is open again", () => {
    const closed = handle(sessionState(), pullRequest("closed"));
    expect(effects(closed, pullRequest("closed"))).toEqual(["follow-pull-request"]);
    const again = handle(closed, pullRequest("open", { changedAt: at + 1_000 }));
    expect(findEndByPullRequest(again)).toBeNull();
  });
});

describe("checks", () => {
  const open = handle(sessionState(), pullRequest("open"));
  const failed = (state: SessionState) => hasFailedChecks(state.session.prReport);

  it("that fail are events until the same check passes", () => {
    const first = handle(open, check(true), check(false, { check: "test" }));
    expect([failed(open), failed(first)]).toEqual([false, true]);
    expect(failed(handle(first, check(false, { changedAt: at + 1_000 })))).toBe(false);
  });

  it("change the session and its row at the first failure and at the last success", () => {
    expect(effects(open, check(true))).toEqual(["index-session", "read-checks"]);
    const once = handle(open, check(true));
    expect(effects(once, check(true, { check: "test" }))).toEqual(["read-checks"]);
    const twice = handle(once, check(true, { check: "test" }));
    expect(effects(twice, check(false))).toEqual(["read-checks"]);
    expect(effects(handle(twice, check(false)), check(false, { check: "test" }))).toEqual([
      "index-session",
      "read-checks",
    ]);
  });

  it("are read from the code host only with an open pull request for their commit", () => {
    const ofCommit = { sha: "b", changedAt: at + 1_000 };
    expect(effects(sessionState(), check(false))).toEqual([]);
    expect(effects(sessionState(), pullRequest("open"))).toContain("read-checks");
    expect(effects(handle(sessionState(), pullRequest("closed")), pullRequest("open"))).toContain("read-checks");
    expect(effects(open, pullRequest("open", ofCommit))).toContain("read-checks");
    expect(effects(open, pullRequest("draft", { changedAt: at + 1_000 }))).not.toContain("read-checks");
  });

  it("whose earlier run arrives late change nothing", () => {
    const passed = handle(open, check(false, { changedAt: at + 2_000 }), check(true, { changedAt: at + 1_000 }));
    expect(failed(passed)).toBe(false);
  });

  it("of an earlier commit do not affect the newest", () => {
    const pushed = handle(open, check(true), pullRequest("open", { sha: "b", changedAt: at + 3_000 }));
    expect(failed(pushed)).toBe(false);
    expect(failed(handle(pushed, check(true, { changedAt: at + 9_000 })))).toBe(false);
    expect(failed(handle(pushed, check(true, { sha: "b", begunAt: at + 4_000 })))).toBe(true);
  });

  it("of a commit without an event are of the newest commit if they started later", () => {
    const checked = handle(open, check(true, { sha: "b", begunAt: at + 1_000 }));
    expect(checked.session.prReport).toMatchObject({ sha: "b", checks: { lint: { hasFailed: true } } });
    expect(failed(handle(open, check(true, { sha: "0", begunAt: at - 1_000 })))).toBe(false);
  });

  it("may arrive before their pull request", () => {
    const early = handle(sessionState(), check(true, { begunAt: at - 1_000 }));
    expect(failed(handle(early, pullRequest("open", { changedAt: at - 2_000 })))).toBe(true);
  });

  it.each<[string, CheckEvent[], boolean, string[]]>([
    ["that begins", [begun()], false, []],
    ["that begins again", [check(true), begun({ changedAt: at + 1_000 })], false, ["index-session"]],
    ["whose end arrives before its beginning", [check(true), begun({ changedAt: at - 1_000 })], true, []],
    ["that ends in the second of its beginning", [check(true), begun()], true, []],
    ["of another commit", [check(true), begun({ sha: "0", begunAt: at - 1_000 })], true, []],
  ])("%s", (_, events, hasFailed, listed) => {
    const before = handle(open, ...events.slice(0, -1));
    const { state, effects } = accepted(handleCodeHostEvent(before, events.at(-1) ?? begun(), now));
    expect([failed(state), effects.map(({ type }) => type)]).toEqual([hasFailed, listed]);
  });

  const verdictOf = ({ session: { prReport } }: SessionState) => prReport?.verdict ?? null;
  const judge = (state: SessionState, verdict: "passed" | "failed" | null, haveAllEnded = true) =>
    accepted(recordVerdict(state, { sha: "a", verdict, haveAllEnded }));
  it("that begin end the verdict, and the same one after it is no event", () => {
    const [first] = [judge(handle(open, check(true)), "failed")];
    expect(first.effects.map(({ type }) => type)).toEqual(["run-triggers"]);
    const again = begun({ changedAt: at + 1_000 });
    expect(effects(first.state, again)).toContain("read-checks");
    const running = judge(handle(first.state, again), null, false);
    expect([verdictOf(running.state), running.effects]).toEqual([null, []]);
    const ended = check(true, { changedAt: at + 2_000 });
    const second = judge(handle(running.state, ended), "failed");
    expect([verdictOf(second.state), second.effects.map(({ type }) => type)]).toEqual(["failed", ["run-triggers"]]);
    const events = [first.state, running.state, second.state, judge(running.state, "passed").state].map(
      (state, place) => findNewVerdict((place === 0 ? open : running.state).session, state.session),
    );
    expect(events).toEqual(["failed", null, null, "passed"]);
  });

  it("are stored up to a number, failed ones longest", () => {
    const many = Array.from({ length: 300 }, (_, place) =>
      check(place === 0, { check: `${place}`, changedAt: at + place }),
    );
    const state = handle(open, ...many);
    expect(Object.keys(state.session.prReport?.checks ?? {})).toHaveLength(200);
    expect(failed(state)).toBe(true);
  });

  it.each(["backlog", "completed", "archived"] as const)("do not affect a session that is %s", (status) => {
    const before = sessionState({ session: { status } });
    expect(handle(before, check(true))).toBe(before);
  });
});

describe("a branch that moved", () => {
  it.each(sessionStatuses)("is compared for a session that is %s, if that is open", (status) => {
    const isOpen = status === "active" || status === "under-review";
    const state = sessionState({ session: { status } });
    expect(effects(state, { type: "branch" })).toEqual(isOpen ? ["compare-branch"] : []);
    expect(effects(sessionState({ session: { status, branch: null } }), { type: "branch" })).toEqual([]);
    const compared = { targetBranch: "main", hostBehindBy: 1, targetCommit: null, sandboxBehindBy: null };
    const noted = accepted(recordBehind(state, compared, now)).state;
    expect(noted.session.isBehind).toBe(isOpen);
    const events = accepted(handleCodeHostEvent(state, { type: "checkout", targetCommit: "c1" }, now));
    expect(events.state.session.targetCommit).toBe("c1");
    expect(events.effects.map((effect) => effect.type)).toEqual(isOpen ? ["compare-branch"] : []);
    expect(accepted(recordTargetCommit(events.state, "c1"))).toMatchObject({ state: events.state, effects: [] });
  });

  it.each<[string, Partial<BranchComparison>, was: boolean, is: boolean]>([
    ["is up to it on the code host", { hostBehindBy: 0 }, true, false],
    ["is behind in both places", { hostBehindBy: 2, sandboxBehindBy: 1 }, false, true],
    ["took it in, and was not pushed since", { hostBehindBy: 2, sandboxBehindBy: 0 }, true, false],
    ["was never pushed, and is behind", { sandboxBehindBy: 1 }, false, true],
    ["was never pushed, and is not behind", { sandboxBehindBy: 0 }, true, false],
    ["is nowhere to be found", {}, false, false],
    ["took in something else meanwhile", { sandboxBehindBy: 1, targetCommit: "c0" }, false, false],
    ["was compared with an earlier Target Branch", { hostBehindBy: 1, targetBranch: "old" }, false, false],
  ])("that %s", (_, found, was, is) => {
    const compared = { targetBranch: "main", hostBehindBy: null, targetCommit: "c1", sandboxBehindBy: null, ...found };
    const state = sessionState({ session: { targetCommit: "c1", isBehind: was } });
    expect(accepted(recordBehind(state, compared, now)).state.session.isBehind).toBe(is);
  });

  it("without a change changes nothing", () => {
    const state = sessionState();
    const { state: after, effects } = accepted(
      recordBehind(state, { targetBranch: "main", hostBehindBy: 0, targetCommit: null, sandboxBehindBy: null }, now),
    );
    expect([after, effects]).toEqual([state, []]);
  });
});
