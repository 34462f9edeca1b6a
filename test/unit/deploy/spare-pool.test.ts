// The warm pool: how many spares a project has, and when.
import { describe, expect, it, test } from "vitest";
import {
  countWantedSpares,
  createPoolAfterDeploy,
  emptyPool,
  type Pool,
  type PoolFacts,
  planPool,
  poolWarmMs,
  recordSpareTried,
  resetFailures,
  type SpareFound,
  toWarmPool,
} from "../../../src/deploy/rules/spare-pool.ts";
import type { DeployStatus } from "../../../src/deploy/rules/status.ts";
import { project } from "../../support/deploy-state.ts";
import { accepted } from "../../support/session-state.ts";

const now = 1_000_000_000;
const facts: PoolFacts = {
  ...{ plan: "team", isLive: true, holdsSessionsUp: false },
  ...{ isBlockedOnBilling: false, isSuspended: false, keepsSpares: true },
};
const warm = createPoolAfterDeploy(now);

describe("the spares of a project", () => {
  it.each([
    ["on plan free", { plan: "free" }, 0],
    ["on plan team", { plan: "team" }, 1],
    ["on plan enterprise", { plan: "enterprise" }, 2],
    ["that is not live", { isLive: false }, 0],
    ["that a member deploys", { holdsSessionsUp: true }, 0],
    ["of a workspace that is blocked on billing", { isBlockedOnBilling: true }, 0],
    ["of a suspended workspace", { isSuspended: true }, 0],
    ["whose settings have no warm pool", { keepsSpares: false }, 0],
  ] as [string, Partial<PoolFacts>, number][])("%s", (_, changes, wanted) => {
    expect(countWantedSpares(warm, { ...facts, ...changes }, now)).toBe(wanted);
  });

  it("are kept for ten minutes after a Deploy or the last start of a session, and never before a Deploy", () => {
    expect(countWantedSpares(warm, facts, now + poolWarmMs - 1)).toBe(1);
    expect(countWantedSpares(warm, facts, now + poolWarmMs)).toBe(0);
    expect(countWantedSpares(toWarmPool(warm, now + poolWarmMs), facts, now + poolWarmMs + 1)).toBe(1);
    expect(toWarmPool(emptyPool, now)).toEqual(emptyPool);
  });

  it("are not created after two failures in a row, until something has changed", () => {
    const tried = (pool: Pool, problem: string | null) =>
      accepted(recordSpareTried({ ...project("deployed"), pool }, problem, now)).state.pool;
    const once = tried(warm, "It broke.");
    expect([once, tried(once, null)].map((pool) => countWantedSpares(pool, facts, now))).toEqual([1, 1]);
    const twice = tried(once, "It broke.");
    expect(countWantedSpares(twice, facts, now)).toBe(0);
    expect(countWantedSpares(toWarmPool(twice, now), facts, now)).toBe(0);
    expect(
      [resetFailures(twice), createPoolAfterDeploy(now)].map((pool) => countWantedSpares(pool, facts, now)),
    ).toEqual([1, 1]);
  });
});

test("the first failed spare of a Deploy is reported as its failed proof, and the next as the end of new spares, each with the cause", () => {
  const said = (status: DeployStatus) => {
    const once = accepted(recordSpareTried({ ...project(status), pool: warm }, "It broke.", now)).state;
    return accepted(recordSpareTried(once, "It broke.", now)).state.says.map(({ content }) => content);
  };
  const gaveUp = expect.stringMatching(/^Spare sandboxes failed to start .* no more .*\nIt broke\.$/);
  expect(said("warming_pool")).toEqual([
    expect.stringMatching(/only the project's settings\. .*\nIt broke\.$/),
    gaveUp,
  ]);
  expect(said("deployed")).toEqual([gaveUp]);
});

describe("the work on a pool", () => {
  const spare = (sandboxKey: string, changes: Partial<SpareFound> = {}): SpareFound => ({
    sandboxKey,
    state: "ready",
    fits: true,
    ...changes,
  });
  it.each([
    ["an empty one is filled", [], 2, { ends: [], goesOn: [], makes: 2 }],
    ["a full one rests", [spare("a")], 1, { ends: [], goesOn: [], makes: 0 }],
    [
      "one that does not fit ends, and another is made",
      [spare("a", { fits: false })],
      1,
      { ends: ["a"], goesOn: [], makes: 1 },
    ],
    ["what was started goes on", [spare("a", { state: "making" })], 1, { ends: [], goesOn: ["a"], makes: 0 }],
    [
      "ready ones are kept before others",
      [spare("a", { state: "making" }), spare("b")],
      1,
      { ends: ["a"], goesOn: [], makes: 0 },
    ],
    [
      "where none is wanted, all end",
      [spare("a"), spare("b", { state: "making" })],
      0,
      { ends: ["a", "b"], goesOn: [], makes: 0 },
    ],
  ] as [string, SpareFound[], number, ReturnType<typeof planPool>][])("%s", (_, spares, wanted, work) => {
    expect(planPool(spares, wanted)).toEqual(work);
  });
});
