// The steps of a person's deletion: each page moves it on, and what failed is tried again.
import { expect, it, test } from "vitest";
import { lateArrivalMs } from "../../../src/deletion/rules/deletion.ts";
import {
  formatProgress,
  getProgressAfter,
  isPassDue,
  isPassOver,
  type PersonProgress,
  personSteps,
  startPass,
} from "../../../src/deletion/rules/person-progress.ts";

test("a page with a last id stays in its step, and one without moves to the next", () => {
  const first = startPass(5);
  expect(first).toMatchObject({ startedAt: 5, step: personSteps[0], after: "" });
  const next = getProgressAfter(first, { last: "a", handled: 2, failed: ["b"] });
  expect(next).toMatchObject({
    step: personSteps[0],
    after: "a",
    handled: 2,
    failed: [{ step: personSteps[0], id: "b" }],
  });
  expect(getProgressAfter(next, { last: null, handled: 1, failed: [] })).toMatchObject({
    ...{ step: personSteps[1], after: "", handled: 3, failed: [{ id: "b" }] },
  });
});

test("after every step, the pass is over unless something failed", () => {
  let progress = startPass(0);
  for (const step of personSteps) {
    expect(progress.step).toBe(step);
    expect(isPassOver(progress)).toBe(false);
    progress = getProgressAfter(progress, { last: null, handled: 0, failed: [] });
  }
  expect(isPassOver(progress)).toBe(true);
  expect(isPassOver({ ...progress, failed: [{ step: "sessions", id: "s" }] })).toBe(false);
  expect(getProgressAfter(progress, { last: "x", handled: 9, failed: [] })).toBe(progress);
});

const over: PersonProgress = { startedAt: 0, step: null, after: "", handled: 4, failed: [] };

it.each<[string, PersonProgress, number, boolean]>([
  ["too early", over, lateArrivalMs - 1, false],
  ["once no late request is left", over, lateArrivalMs, true],
  ["after a pass that started then", { ...over, startedAt: lateArrivalMs }, lateArrivalMs + 9, false],
  ["while a pass runs", { ...over, step: "sessions" }, lateArrivalMs, false],
])("another pass %s", (_, progress, now, isDue) => {
  expect(isPassDue(progress, 0, now)).toBe(isDue);
});

it.each<[Partial<PersonProgress>, string]>([
  [{ step: "sessions" }, "step 5 of 10, sessions, so far: 4"],
  [
    { step: "sessions", failed: [{ step: "sessions", id: "s" }] },
    "step 5 of 10, sessions, so far: 4, to be tried again: 1",
  ],
  [{ failed: [{ step: "sessions", id: "s" }] }, "the last step, so far: 4, to be tried again: 1"],
  [{}, "all steps, in total: 4; all of them run once more after an hour"],
])("%j reads %s", (progress, text) => {
  expect(formatProgress({ ...over, ...progress })).toBe(text);
});
