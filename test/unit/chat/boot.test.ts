// The steps of a start, as people who wait see them.
import { expect, test } from "vitest";
import {
  type Boot,
  endStep,
  getLogEnd,
  getSetupReadPause,
  newBoot,
  readLogEnd,
  startStep,
} from "../../../src/chat/rules/boot.ts";

const show = ({ steps }: Boot) => steps.map(({ name, status, detail }) => [name, status, detail].join(" ").trim());
const done = { status: "completed", detail: null } as const;

test("steps begin and end in their order", () => {
  const begun = startStep(newBoot, "slot", 1);
  const ended = endStep(begun, { name: "slot", ...done }, 2);
  const next = startStep(ended, "machine", 3);
  const found = endStep(next, { name: "machine", status: "completed", detail: "found" }, 4);
  expect([begun, ended, next, found].map(show)).toEqual([
    ["slot running"],
    ["slot completed"],
    ["slot completed", "machine running"],
    ["slot completed", "machine completed found"],
  ]);
  expect(found.steps[1]).toMatchObject({ startedAt: 3, completedAt: 4 });
});

test("a start that is tried again begins again from its step", () => {
  const failed = endStep(
    startStep(endStep(startStep(newBoot, "slot", 1), { name: "slot", ...done }, 2), "machine", 3),
    { name: "machine", status: "failed", detail: null },
    4,
  );
  expect(show(failed)).toEqual(["slot completed", "machine failed"]);
  expect(show(startStep(failed, "slot", 5))).toEqual(["slot running"]);
});

test("only a step that runs ends", () => {
  const ended = endStep(startStep(newBoot, "slot", 1), { name: "slot", ...done }, 2);
  expect(endStep(ended, { name: "slot", status: "failed", detail: "late" }, 3)).toEqual(ended);
});

test("the output of a setup is shown until the setup has succeeded", () => {
  const printed = { ...startStep(newBoot, "checkout", 1), logEnd: "npm ERR!\n" };
  const end = (status: "completed" | "failed") => endStep(printed, { name: "checkout", status, detail: null }, 2);
  expect(
    [end("completed"), end("failed"), startStep(end("failed"), "services", 3)].map(({ logEnd }) => logEnd),
  ).toEqual([null, "npm ERR!\n", "npm ERR!\n"]);
  expect(startStep(end("failed"), "machine", 3).logEnd).toBeNull();
});

const line = `${"a".repeat(99)}\n`;
test.each([
  ["", ""],
  ["short\n", "short\n"],
  ["a".repeat(2_048), "a".repeat(2_048)],
  // Twenty lines fit.
  [line.repeat(30), line.repeat(20)],
  // The cut is where a line begins.
  [`b\n${"a".repeat(2_047)}\n`, `${"a".repeat(2_047)}\n`],
  // One line is longer than all that is shown.
  [`${"b".repeat(3_000)}${"a".repeat(2_048)}`, "a".repeat(2_048)],
  [`${"b".repeat(3_000)}${"a".repeat(2_047)}\n`, `${"a".repeat(2_047)}\n`],
  // No character is cut in two.
  [`b${"é".repeat(1_024)}a`, `${"é".repeat(1_023)}a`],
])("an output is cut at a line (%#)", (output, shown) => {
  expect(getLogEnd(output)).toBe(shown);
});

test("a sandbox that says no text has printed nothing", () => {
  expect([undefined, null, 5, { text: "a" }, ["a"], "a"].map(readLogEnd)).toEqual([null, null, null, null, null, "a"]);
});

test("the output of a long setup is read less often", () => {
  expect([0, 4_000, 10_000, 60_000].map(getSetupReadPause)).toEqual([500, 500, 1_000, 2_000]);
});
