// The steps of a start, as people who wait see them.
import { expect, test } from "vitest";
import { type Boot, endStep, startStep } from "../../../src/chat/rules/boot.ts";

const show = ({ steps }: Boot) => steps.map(({ name, status, detail }) => [name, status, detail].join(" ").trim());
const done = { status: "completed", detail: null } as const;

test("steps begin and end in their order", () => {
  const begun = startStep({ steps: [] }, "slot", 1);
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
    startStep(endStep(startStep({ steps: [] }, "slot", 1), { name: "slot", ...done }, 2), "machine", 3),
    { name: "machine", status: "failed", detail: null },
    4,
  );
  expect(show(failed)).toEqual(["slot completed", "machine failed"]);
  expect(show(startStep(failed, "slot", 5))).toEqual(["slot running"]);
});

test("only a step that runs ends", () => {
  const ended = endStep(startStep({ steps: [] }, "slot", 1), { name: "slot", ...done }, 2);
  expect(endStep(ended, { name: "slot", status: "failed", detail: "late" }, 3)).toEqual(ended);
});
