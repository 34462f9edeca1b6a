// Which container a start uses, and which one is ended.
import { describe, expect, it } from "vitest";
import { isContainerWanted, startInNewContainer } from "../../../src/sandbox/rules/container.ts";
import { recordLoss, sandboxStates, wake } from "../../../src/sandbox/rules/lifecycle.ts";
import { recordPaused } from "../../../src/sandbox/rules/pause.ts";
import { command, sandbox } from "../../support/sandbox-state.ts";
import { accepted, now } from "../../support/session-state.ts";

describe("the container", () => {
  const leaves = (left: number) => ({ type: "leave-container", id: 3, left });

  it.each([
    ["that certainly ended is left alone", 0, []],
    ["of before that may run is ended", 2, [leaves(2)]],
  ])("of a wake is a new one; one %s", (_, containerGeneration, left) => {
    const { state, effects } = accepted(wake(sandbox("paused", { containerGeneration }), command, now));
    expect(state.containerGeneration).toBe(3);
    expect(effects.filter(({ type }) => type === "leave-container")).toEqual(left);
  });

  it("is certainly gone after a pause, and not after a loss", () => {
    const paused2 = accepted(recordPaused(sandbox("pausing", { containerGeneration: 2 }), 2)).state;
    const lost2 = accepted(recordLoss(sandbox("running", { containerGeneration: 2 }), 2)).state;
    expect([paused2.containerGeneration, lost2.containerGeneration]).toEqual([0, 2]);
  });

  it("of a start that begins again is a new one, once, and not that of an older start", () => {
    const starting = sandbox("resuming", { containerGeneration: 1 });
    const { state, effects } = accepted(startInNewContainer(starting, 2));
    expect([state.containerGeneration, effects]).toEqual([2, [{ type: "leave-container", id: 2, left: 1 }]]);
    expect(accepted(startInNewContainer(state, 2))).toEqual({ state, result: null, effects: [] });
    for (const [before, generation] of [
      [starting, 1],
      [sandbox("running"), 2],
    ] as const)
      expect(accepted(startInNewContainer(before, generation)).state).toBe(before);
  });

  it.each(sandboxStates)("is needed or not while the sandbox is %s, and no other one ever", (state) => {
    const before = sandbox(state, { containerGeneration: 2 });
    expect(isContainerWanted(before, 2)).toBe(!["absent", "paused", "gone"].includes(state));
    expect([isContainerWanted(before, 1), isContainerWanted(before, null)]).toEqual([false, false]);
  });
});
