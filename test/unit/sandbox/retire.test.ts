// Which sandboxes are retired because a new program is deployed, and which versions of the protocol
// are understood.
import { describe, expect, test } from "vitest";
import { recordStart, wake } from "../../../src/sandbox/rules/lifecycle.ts";
import { retire } from "../../../src/sandbox/rules/pause.ts";
import { isUnderstood, protocolVersion } from "../../../src/sandbox/rules/program-version.ts";
import { type StoredSandbox, toStored } from "../../../src/sandbox/rules/row.ts";
import { command, createStart, holder, owner, sandbox, statesBut } from "../../support/sandbox-state.ts";
import { accepted, now } from "../../support/session-state.ts";

const present = { program: "present", protocol: protocolVersion };
const retireSandbox = (changes: Partial<StoredSandbox>) => {
  const { state, result, effects } = accepted(retire(sandbox("running", changes), "present", now));
  return [result, state.state, effects.map(({ type }) => type)];
};
const stays = [false, "running", []];
const isRetired = [true, "pausing", ["remind", "pause"]];

test.each<[what: string, changes: Partial<StoredSandbox>, outcome: unknown[]]>([
  ["the present program", present, stays],
  ["the program of an earlier deployment", { ...present, program: "earlier" }, isRetired],
  ["a program of an earlier protocol", { ...present, protocol: protocolVersion - 1 }, isRetired],
  ["a program of a later protocol", { ...present, protocol: protocolVersion + 1 }, isRetired],
  ["an earlier program with a turn in it", { program: "earlier", holders: [holder("t")] }, stays],
  ["an earlier program in a spare", { program: "earlier", owner: { ...owner, type: "spare" } }, stays],
])("a sandbox with %s", (_, changes, outcome) => {
  expect(retireSandbox(changes)).toEqual(outcome);
});

test.each(statesBut("running"))("one that is %s does not change", (state) => {
  const { state: after, result, effects } = accepted(retire(sandbox(state), "present", now));
  expect([result, after, effects]).toEqual([false, sandbox(state), []]);
});

describe("what is stored about the program", () => {
  const woken = accepted(wake(sandbox("paused", { program: "earlier" }), command, now)).state;

  test("after a wake it is the one that was started then", () => {
    expect(toStored(woken)).toMatchObject({ program: "present", protocol: null });
  });

  test("what it reported at its start is stored until it ends", () => {
    const up = accepted(recordStart(woken, { ...createStart(3), ...present }, now)).state;
    expect(up).toMatchObject(present);
    expect(retireSandbox(up)).toEqual(stays);
  });
});

test.each<[protocol: number | null, understood: boolean]>([
  [0, false],
  [1, true],
  [null, true],
  [protocolVersion, true],
  [protocolVersion + 1, false],
])("version %s: understood %s", (protocol, understood) => {
  expect(isUnderstood(protocol)).toBe(understood);
});
