// When a main sandbox that nobody uses is deleted, and the saved work of an ended session.
import { describe, expect, it, test } from "vitest";
import { getEndedWorkDue, reclaim } from "../../../src/sandbox/rules/delete-unused.ts";
import { getMainSandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { changedTo, owner, sandbox } from "../../support/sandbox-state.ts";
import { accepted, now } from "../../support/session-state.ts";

const day = 24 * 60 * 60_000;

describe("a main sandbox", () => {
  const main = getMainSandboxOwner({ id: owner.projectId, workspaceId: owner.workspaceId, targetBranch: "main" });
  const asleep = sandbox("paused", { owner: main, lastUsedAt: now - 30 * day });

  it("is deleted with its saved work once it was paused and unused for 30 days", () => {
    const { state, result, effects } = accepted(reclaim(asleep, now));
    expect([state.state, state.archiveKey, result]).toEqual(["gone", null, { removed: true }]);
    expect(effects).toContainEqual({ type: "destroy", id: state.generation });
    expect(accepted(reclaim(state, now)).result).toEqual({ removed: true });
  });

  it.each([
    ["used a moment later", { ...asleep, lastUsedAt: now - 30 * day + 1 }, now + 1],
    ["that runs", changedTo(asleep, { state: "running" }), now + 30 * day],
    ["that is being paused", changedTo(asleep, { state: "pausing" }), now + 30 * day],
    ["that has nothing saved", changedTo(asleep, { state: "absent", archiveKey: null }), now + 30 * day],
    ["of a session", { ...asleep, owner }, now + 30 * day],
  ] as const)("%s stays", (_, state, dueAt) => {
    expect(accepted(reclaim(state, now))).toEqual({ state, result: { removed: false, dueAt }, effects: [] });
  });
});

test("the saved work of a session is due 14 days after its end", () => {
  expect(getEndedWorkDue(now)).toBe(now - 14 * day);
});
