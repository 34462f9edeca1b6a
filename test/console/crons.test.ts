// The rules of crons in the console: their addresses, what was typed, and their runs in words.
import { expect, test } from "vitest";
import { measureTurn } from "../../console/src/conversation/foot.ts";
import {
  cronChecks,
  dropUnknownProjects,
  emptyFields,
  findMissing,
  listChanged,
} from "../../console/src/crons/draft.ts";
import {
  adviseRun,
  formatSchedule,
  formatSlot,
  formatSummary,
  formatWait,
  tintMark,
  toJob,
} from "../../console/src/crons/run-words.ts";
import { readCronSearch, readRunSearch } from "../../console/src/crons/search.ts";
import { parseChanges } from "../../console/src/ui/kept-changes.ts";

test("a fired run that failed has no background of a running one", () => {
  expect((["starting", "running", "done", "failed"] as const).map(tintMark)).toEqual([
    "bg-accent-tint",
    "bg-accent-tint",
    "bg-sunk",
    "bg-red-tint",
  ]);
});

test.each<[Record<string, unknown>, object]>([
  [{}, {}],
  [
    { workspace: "w", page: 2 },
    { workspace: "w", page: 2 },
  ],
  [{ workspace: 3, page: "3" }, { page: 3 }],
  [{ workspace: "", page: 1 }, {}],
  [{ page: -1 }, {}],
  [{ page: 1.5 }, {}],
])("the address %j of a cron means %j", (raw, search) => expect(readCronSearch(raw)).toEqual(search));

test("the address of a run has the artifact that is shown", () => {
  expect(readRunSearch({ workspace: "w", artifact: "a", page: 2 })).toEqual({ workspace: "w", artifact: "a" });
  expect(readRunSearch({ artifact: 3 })).toEqual({});
});

test.each<[string, object]>([
  ["", {}],
  ["{", {}],
  ["null", {}],
  ["[1]", {}],
  ['{"name":"A","model":null,"projectIds":["p"]}', { name: "A", projectIds: ["p"] }],
  ['{"name":3,"projectIds":[3],"model":"m","toString":"x","enabled":false}', { model: "m" }],
  ['{"name":"","model":null,"projectIds":[],"cronExpression":"0 9 * * 1-5"}', {}],
])("a browser that kept %j has the changes %j", (kept, changes) => {
  expect(parseChanges(kept, cronChecks, emptyFields)).toEqual(changes);
});

test.each<[what: string, changes: object, projects: string[] | undefined, left: object]>([
  [
    "those of another workspace go",
    { name: "A", projectIds: ["other", "p"] },
    ["p", "q"],
    { name: "A", projectIds: ["p"] },
  ],
  ["all stay until the projects are read", { projectIds: ["other"] }, undefined, { projectIds: ["other"] }],
  ["a choice that was not changed stays so", { name: "A" }, ["p"], { name: "A" }],
])("of the projects that were chosen for a cron, %s", (_, changes, projects, left) => {
  expect(
    dropUnknownProjects(
      changes,
      projects?.map((id) => ({ id })),
    ),
  ).toEqual(left);
});

const saved = { ...emptyFields, name: "Nightly", prompt: "Look.", projectIds: ["a", "b"] };

test.each<[object, object]>([
  [{}, {}],
  [{ name: " Nightly ", prompt: "Look.", projectIds: ["b", "a"], model: null }, {}],
  [{ name: " Daily " }, { name: "Daily" }],
  [{ projectIds: ["a"] }, { projectIds: ["a"] }],
  [
    { projectIds: ["a", "c"], model: "m" },
    { projectIds: ["a", "c"], model: "m" },
  ],
])("of the changes %j, %j are sent", (changes, sent) => expect(listChanged(saved, changes)).toEqual(sent));

test.each<[object, string | null]>([
  [{}, null],
  [{ name: " " }, "Give the cron a name."],
  [{ projectIds: [] }, "Choose a project."],
  [{ prompt: "\n" }, "Say what the agent should do."],
  [{ cronExpression: "" }, "Choose a schedule."],
  [{ cronExpression: "0 9 * *" }, "Fix the schedule."],
  [{ cronExpression: "*/5 * * * *" }, "Fix the schedule."],
])("with %j, what is missing is %j", (changes, words) => expect(findMissing({ ...saved, ...changes })).toBe(words));

test("a schedule that has no words is shown as it is", () => {
  expect(formatSchedule({ cronExpression: "0 9 * * 1-5", timezone: "Europe/Berlin" })).toBe(
    "Every weekday at 09:00, Europe/Berlin",
  );
  expect(formatSchedule({ cronExpression: "@later", timezone: "UTC" })).toBe("@later, UTC");
});

test("a fire is shown in the timezone of its workspace", () => {
  const now = Date.parse("2026-12-31T20:00:00Z");
  expect(formatSlot("2026-11-30T23:30:00Z", "Asia/Kolkata", now - 86_400_000)).toBe("Tue 1 Dec, 05:00");
  // The present year is that of the cron's time zone.
  expect(formatSlot("2027-02-28T09:00:00Z", "UTC", now)).toBe("Sun, 28 Feb 2027, 09:00");
  expect(formatSlot("2027-02-28T09:00:00Z", "Asia/Kolkata", now)).toBe("Sun 28 Feb, 14:30");
});

test.each([
  [-5, "now"],
  [59_000, "now"],
  [1_519_000, "in 25 min"],
  [129_599_000, "in 35 h 59 min"],
  [129_600_000, "in 2 days"],
  [165_060_000, "in 2 days"],
  [432_000_000, "in 5 days"],
])("a fire in %i ms is %s", (ms, words) => expect(formatWait(ms)).toBe(words));

test("the first line of a Reply is shown without the signs of Markdown", () => {
  expect(formatSummary("## **Two** errors in `web_1`: 2 * 3")).toBe("Two errors in web_1: 2 * 3");
});

const run = {
  ...{ id: "r", projectId: "p", projectName: "P", status: "running" as const, summary: null, error: null },
  ...{ createdAt: "2026-11-30T09:00:00Z", startedAt: "2026-11-30T09:00:05Z", completedAt: null },
  ...{ model: null, report: null },
};

test("a run is measured from its start, and not before it", () => {
  const now = Date.parse("2026-11-30T09:01:05Z");
  expect(measureTurn(run, now)).toBe(60_000);
  expect(measureTurn({ ...run, completedAt: "2026-11-30T09:00:07Z" }, now)).toBe(2_000);
  expect(measureTurn({ ...run, startedAt: null }, now)).toBeNull();
});

test.each([
  ["running", "running"],
  ["succeeded", "completed"],
  ["failed", "failed"],
  ["cancelled", "cancelled"],
  ["skipped", "cancelled"],
] as const)("a run that is %s is a turn that is %s", (status, turn) => {
  expect(toJob({ ...run, status })).toMatchObject({ id: "r", jobNumber: 1, status: turn });
});

test("a failure that a person can do something about has a next step", () => {
  expect(adviseRun("not_deployed")).toContain("Deploy the project first");
  expect(adviseRun("context_window_exceeded")).toBeNull();
  expect(adviseRun(null)).toBeNull();
});
