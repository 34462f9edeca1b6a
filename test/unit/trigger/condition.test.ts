// The conditions of a trigger on the body of a call.

import { expect, test } from "vitest";
import { triggerRequestLevels } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { type Condition, findConditionMistake, isMet } from "../../../src/trigger/rules/condition.ts";
import { createRequestPlan } from "../../../src/trigger/rules/plan.ts";
import type { Trigger } from "../../../src/trigger/rules/trigger.ts";
import { usualTrigger } from "../../support/trigger.ts";

const body: unknown = JSON.parse(`{
  "alert": { "status": "firing", "level": 3, "isOpen": true, "closedAt": null, "tags": ["db", "eu", 7] },
  "alerts": [{ "id": "a1" }, { "id": "a2" }],
  "box": { "length": 2 }, "text": "The board is empty.", "__proto__": { "role": "admin" }
}`);

test.each<[Condition, boolean]>([
  [{ path: "alert.status", is: "firing" }, true],
  [{ path: "alert.status", is: "Firing" }, false],
  [{ path: "alert.level", is: 3 }, true],
  [{ path: "alert.level", is: "3" }, false],
  [{ path: "alert.isOpen", is: true }, true],
  [{ path: "alert.closedAt", is: null }, true],
  [{ path: "alert.missing", is: null }, false],
  [{ path: "alert.level", in: [1, 2] }, false],
  [{ path: "alert.level", in: [2, 3] }, true],
  [{ path: "alert.closedAt", in: ["now", null] }, true],
  [{ path: "alert.level", in: [] }, false],
  [{ path: "alert.tags", has: "db" }, true],
  [{ path: "alert.tags", has: "d" }, false],
  [{ path: "alert.tags", has: 7 }, true],
  [{ path: "text", has: "board" }, true],
  [{ path: "text", has: "Board" }, false],
  [{ path: "alert.level", has: 3 }, false],
  [{ path: "alert", has: "status" }, false],
  [{ path: "alerts.1.id", is: "a2" }, true],
  [{ path: "alerts.2.id", exists: true }, false],
  [{ path: "alerts.-1", exists: false }, true],
  [{ path: "alerts.length", exists: true }, false],
  [{ path: "alerts.length", is: 2 }, false],
  [{ path: "alert.tags.length", exists: false }, true],
  [{ path: "box.length", is: 2 }, true],
  [{ path: "alert.closedAt", exists: true }, true],
  [{ path: "alert.missing", exists: false }, true],
  [{ path: "alert.status.length", exists: true }, false],
  [{ path: "alert.constructor.name", exists: true }, false],
  [{ path: "alert.__proto__", exists: true }, false],
  [{ path: "alert.role", exists: true }, false],
  [{ path: "__proto__.role", is: "admin" }, true],
  [{ path: "", exists: true }, false],
  [{ path: ".", exists: true }, false],
])("%j: %s", (condition, met) => {
  expect(isMet(body, condition)).toBe(met);
});

test.each([null, 7, "a text", true, []])("nothing is at a path of %j", (other) => {
  expect(isMet(other, { path: "alert.status", exists: false })).toBe(true);
  expect(isMet(other, { path: "toString", exists: true })).toBe(false);
});

test("a path leads into a body of very many levels", () => {
  const levels = 100_000;
  const deep: unknown = JSON.parse("[".repeat(levels) + "]".repeat(levels));
  const path = Array.from({ length: triggerRequestLevels }, () => "0").join(".");
  expect(isMet(deep, { path, exists: true })).toBe(true);
});

test.each<[Condition, boolean]>([
  [{ path: "a", is: null }, true],
  [{ path: "a", in: [] }, true],
  [{ path: "a", has: 0 }, true],
  [{ path: "a", exists: false }, true],
  [{ path: "a" }, false],
  [{ path: "a", is: "b", exists: true }, false],
  [{ path: "a.".repeat(triggerRequestLevels), exists: true }, false],
])("the condition %j is valid: %s", (condition, isValid) => {
  expect(findConditionMistake(condition) === null).toBe(isValid);
});

const trigger = (json: Condition[]): Trigger => ({
  ...usualTrigger,
  ...{ id: "t1", name: "Alerts", on: "http" },
  when: { ...usualTrigger.when, json, place: "id" },
  do: { ...usualTrigger.do, action: "start" },
});

test.each<[string, Condition[], object, string | null]>([
  ["without conditions", [], { id: "a1" }, null],
  ["that meets all", [{ path: "id", is: "a1" }], { id: "a1" }, null],
  [
    "that meets one of two",
    [
      { path: "id", is: "a1" },
      { path: "x", exists: true },
    ],
    { id: "a1" },
    "filters",
  ],
  ["that meets none, and has no place", [{ path: "x", exists: true }], {}, "filters"],
])("a body %s", (_, json, call, skip) => {
  expect(createRequestPlan(trigger(json), { json: call, webhookId: null })).toMatchObject({ skip });
});

test("a body that meets all conditions and has no place is refused", () => {
  expect(isRefusal(createRequestPlan(trigger([]), { json: {}, webhookId: null }))).toBe(true);
});
