import { describe, expect, it } from "vitest";
import type { CronChanges, CronDecision, CronState } from "../../../src/cron/rules/cron.ts";
import { createCron, updateZone } from "../../../src/cron/rules/cron.ts";
import {
  allProjectsPaused,
  countRun,
  deleteProject,
  noProjectsLeft,
  resumeProject,
  toShownCron,
  updateCron,
} from "../../../src/cron/rules/project-pause.ts";
import type { CronRunStatus } from "../../../src/cron/rules/run-status.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";

const now = Date.UTC(2027, 0, 1);
const zone = "UTC";
const by = { userId: "u", as: "person" } as const;

/** The state after a decision. */
function stateAfter(decision: CronDecision<null>): CronState {
  if (isRefusal(decision)) throw new Error(decision.message);
  if (decision.state === null) throw new Error("deleted");
  return decision.state;
}

function createProjectsCron(...projectIds: string[]): CronState {
  return createScheduledCron("0 3 * * *", ...projectIds);
}

function createScheduledCron(cronExpression: string, ...projectIds: string[]): CronState {
  const draft = { name: "n", prompt: "p", cronExpression, model: null };
  const projects = projectIds.map((projectId) => ({ projectId, name: projectId }));
  return stateAfter(
    createCron(null, { id: "c", workspaceId: "w", createdBy: "u", writtenBy: by, zone, ...draft, projects }, now),
  );
}

const ran = (state: CronState, projectId: string, ...statuses: CronRunStatus[]) =>
  statuses.reduce(
    (current, status) => countRun(current, { projectId, status, error: `${status} run`, isCounted: true }, now),
    state,
  );
const five: CronRunStatus[] = ["failed", "failed", "failed", "failed", "failed"];
const change = (state: CronState, changes: CronChanges) => updateCron(state, { changes, zone, by }, now);
const counts = ({ projects }: CronState) => projects.map(({ failures, pausedAt }) => [failures, pausedAt !== null]);
const standing = ({ cron }: CronState) => [cron.enabled, cron.disabledReason, cron.slot !== null];

const paused = ran(createProjectsCron("a"), "a", ...five);
const halfPaused = ran(createProjectsCron("a", "b"), "a", ...five);
const byMember = stateAfter(change(halfPaused, { enabled: false }));
const orphaned = stateAfter(deleteProject(createProjectsCron("a"), "a"));

describe("failed runs in a row", () => {
  it.each<[CronRunStatus[], number]>([
    [["failed", "failed", "failed", "failed"], 4],
    [["failed", "succeeded", "failed"], 1],
    [["failed", "cancelled", "failed"], 2],
    [["failed", "skipped", "running", "failed"], 2],
  ])("after %j are %i", (statuses, failures) => {
    expect(counts(ran(createProjectsCron("a", "b"), "a", ...statuses))).toEqual([
      [failures, false],
      [0, false],
    ]);
  });

  it("pause the project with the error of the fifth, and with the last project the cron", () => {
    expect(halfPaused.projects[0]).toMatchObject({ pausedAt: now, pausedReason: "failed run" });
    expect(standing(halfPaused)).toEqual([true, null, true]);
    expect(standing(ran(halfPaused, "b", ...five))).toEqual([false, allProjectsPaused, false]);
  });

  it("leave a cron that a member paused as it is", () => {
    expect(standing(ran(stateAfter(change(createProjectsCron("a"), { enabled: false })), "a", ...five))).toEqual([
      false,
      null,
      false,
    ]);
  });

  it("do not count where a Deploy stopped them, nor for a project that was taken out", () => {
    const uncounted = { projectId: "a", status: "failed" as const, error: "x", isCounted: false };
    expect(counts(countRun(createProjectsCron("a"), uncounted, now))).toEqual([[0, false]]);
    expect(counts(ran(createProjectsCron("a"), "elsewhere", ...five))).toEqual([[0, false]]);
  });
});

it.each<[string, CronState, string | null]>([
  ["all succeeded", ran(createProjectsCron("a", "b"), "a", "succeeded"), "succeeded"],
  ["one failed before", ran(ran(createProjectsCron("a", "b"), "a", "failed"), "b", "succeeded"), "failed"],
  ["a skipped one is passed over", ran(createProjectsCron("a"), "a", "succeeded", "skipped"), "succeeded"],
  ["none yet", createProjectsCron("a"), null],
])("the status of the latest run: %s", (_, { cron }, expected) => {
  expect(cron.lastRunStatus).toBe(expected);
});

describe("what a change does", () => {
  it.each<[string, CronState, CronChanges, unknown[], unknown[]]>([
    [
      "an edit starts every project over",
      halfPaused,
      { name: "m" },
      [
        [0, false],
        [0, false],
      ],
      [true, null, true],
    ],
    ["an edit enables nothing", paused, { prompt: "q" }, [[0, false]], [false, allProjectsPaused, false]],
    ["enabled: true enables again", paused, { enabled: true }, [[0, false]], [true, null, true]],
    ["enabled: false pauses, and drops the reason", paused, { enabled: false }, [[0, false]], [false, null, false]],
    [
      "an edit of a paused cron leaves it paused",
      byMember,
      { name: "m" },
      [
        [0, false],
        [0, false],
      ],
      [false, null, false],
    ],
    [
      "projects for a cron without any enable it",
      orphaned,
      { projects: [{ projectId: "b", name: "b" }] },
      [[0, false]],
      [true, null, true],
    ],
    ["an edit of a cron without projects enables nothing", orphaned, { name: "m" }, [], [false, noProjectsLeft, false]],
    [
      "nothing changes nothing",
      halfPaused,
      {},
      [
        [5, true],
        [0, false],
      ],
      [true, null, true],
    ],
  ])("%s", (_, state, changes, projects, stands) => {
    const changed = stateAfter(change(state, changes));
    expect([counts(changed), standing(changed)]).toEqual([projects, stands]);
  });

  it("without projects a cron cannot be enabled, nor resumed", () => {
    expect(standing(orphaned)).toEqual([false, noProjectsLeft, false]);
    expect(change(orphaned, { enabled: true })).toMatchObject({ code: "BAD_REQUEST" });
    expect(resumeProject(orphaned, { projectId: "a", zone }, now)).toMatchObject({ code: "BAD_REQUEST" });
  });

  it("a due slot stays, unless the schedule changes", () => {
    const due = { ...createProjectsCron("a"), cron: { ...createProjectsCron("a").cron, slot: now - 1 } };
    expect(stateAfter(change(due, { name: "m", enabled: true })).cron.slot).toBe(now - 1);
    expect(stateAfter(change(due, { cronExpression: "0 4 * * *" })).cron.slot).toBe(now + 4 * 3_600_000);
  });
});

describe("a resume", () => {
  it.each<[string, CronState, unknown[], unknown[]]>([
    [
      "takes the project in again",
      halfPaused,
      [
        [0, false],
        [0, false],
      ],
      [true, null, true],
    ],
    ["enables a cron that disabled itself", paused, [[0, false]], [true, null, true]],
    [
      "leaves a cron that a member paused",
      ran(byMember, "a", ...five),
      [
        [0, false],
        [0, false],
      ],
      [false, null, false],
    ],
  ])("%s", (_, state, projects, stands) => {
    const resumed = stateAfter(resumeProject(state, { projectId: "a", zone }, now));
    expect([counts(resumed), standing(resumed)]).toEqual([projects, stands]);
  });

  it("of a project without a pause and failures changes nothing", () => {
    const state = createProjectsCron("a", "b");
    expect(stateAfter(resumeProject(state, { projectId: "a", zone }, now))).toBe(state);
  });

  it("of a project that the cron does not have is not found", () => {
    expect(resumeProject(paused, { projectId: "z", zone }, now)).toMatchObject({ code: "NOT_FOUND" });
  });
});

it("the reason of a cron that disabled itself names what enables it", () => {
  expect(allProjectsPaused).toBe(
    "Every project was paused after 5 failed runs in a row. Resume a project, or enable the cron.",
  );
});

describe("the latest run of a cron", () => {
  const at = (state: CronState, projectId: string, status: CronRunStatus, time: number) =>
    countRun(state, { projectId, status, error: null, isCounted: true }, time);
  const [succeeded, failed] = (["succeeded", "failed"] as const).map((status) =>
    at(at(at(createProjectsCron("a", "b", "c"), "a", "cancelled", 1), "c", "succeeded", 2), "b", status, 3),
  ) as [CronState, CronState];
  const chosen = (...ids: string[]) => ({ projects: ids.map((projectId) => ({ projectId, name: projectId })) });
  const latest = (decision: CronDecision<null>) => stateAfter(decision).cron.lastRunStatus;

  it("is that of the projects that the cron has now", () => {
    expect(failed.cron.lastRunStatus).toBe("failed");
    expect(latest(deleteProject(failed, "b"))).toBe("succeeded");
    expect(latest(deleteProject(stateAfter(deleteProject(failed, "b")), "c"))).toBe("cancelled");
    expect(latest(change(failed, chosen("a", "c")))).toBe("succeeded");
    expect(latest(change(failed, chosen("a", "b")))).toBe("failed");
    expect(latest(change(succeeded, chosen("a")))).toBe("cancelled");
    expect(latest(change(failed, chosen("d")))).toBeNull();
    expect(stateAfter(change(failed, { ...chosen("a"), enabled: false })).cron.enabled).toBe(false);
  });

  it("is never one of a project that the cron no longer has", () => {
    const dropped = stateAfter(deleteProject(failed, "b"));
    expect(at(dropped, "b", "failed", 4)).toBe(dropped);
  });

  it("and the cron itself are read by the projects that are shown, before the cron's object knows that one is deleted", () => {
    const shown = ({ cron, projects }: CronState, ...ids: string[]) =>
      toShownCron({ ...cron, projects: projects.filter(({ projectId }) => ids.includes(projectId)) });
    expect(shown(failed, "a", "b", "c")).toMatchObject({
      enabled: true,
      disabledReason: null,
      lastRunStatus: "failed",
    });
    expect(shown(failed, "a")).toMatchObject({ enabled: true, disabledReason: null, lastRunStatus: "cancelled" });
    expect(shown(failed)).toMatchObject({ enabled: false, disabledReason: noProjectsLeft, lastRunStatus: null });
  });
});

describe("a slot that is already due", () => {
  const slot = Date.UTC(2027, 0, 1, 3);
  const moveTo = (state: CronState, to: string, at: number) => stateAfter(updateZone(state, to, at)).cron;
  it.each<[what: string, expression: string, zone: string, at: number, slot: number]>([
    ["still fires in a zone that has it", "0 * * * *", "Europe/Berlin", slot + 10, slot],
    ["does not fire in a zone without it", "0 3 * * *", "Europe/Berlin", slot + 10, Date.UTC(2027, 0, 2, 2)],
    ["is planned again before it is due", "0 3 * * *", "Europe/Berlin", slot - 10, Date.UTC(2027, 0, 2, 2)],
  ])("%s", (_, expression, to, at, next) => {
    const planned = createScheduledCron(expression, "a");
    const due = { ...planned, cron: { ...planned.cron, slot, dueAt: slot + 50 } };
    expect(moveTo(due, to, at)).toMatchObject({ slot: next, zone: to });
    const changes = { name: "renamed" };
    expect(stateAfter(updateCron(due, { changes, zone: to, by }, at)).cron).toMatchObject({ slot: next, zone: to });
  });
});
