// Costs by the price list, and the figures of the cost document.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatClientFigures } from "../../../bench/lib/client-figures.ts";
import {
  addUsages,
  createUsage,
  getBill,
  getTotal,
  getTurnUsage,
  multiplyUsage,
  toDollars,
  toMonthDollars,
  usageNames,
} from "../../../bench/lib/cost.ts";
import { formatCostFigures, getThousandTurns } from "../../../bench/lib/cost-figures.ts";
import { createCounts } from "../../../bench/lib/counts.ts";
import { formatDistances } from "../../../bench/lib/distance-figures.ts";
import { formatGrowth } from "../../../bench/lib/growth-figures.ts";
import { createMonth, formerLine, ruleLine, runIdleSimulation } from "../../../bench/lib/idle-simulation.ts";
import { projects } from "../../../bench/lib/idle-teams.ts";
import { instances, planDollars, prices, pricesReadOn, type Usage } from "../../../bench/lib/price-list.ts";
import { recordedTailSeconds } from "../../../bench/lib/standard-turn.ts";
import { instanceName } from "../../../bench/lib/team-month.ts";

const root = join(import.meta.dirname, "../../..");
const readText = (path: string) => readFileSync(join(root, path), "utf8");

const used: [usage: Partial<Usage>, dollars: number, beyondThePlan: number][] = [
  [{}, 0, 0],
  [{ objectRowsWritten: 50_000_000 }, 50, 0],
  [{ objectRowsWritten: 51_000_000, d1RowsWritten: 50_500_000 }, 101.5, 1.5],
  [{ d1RowsRead: 26_000_000_000 }, 26, 1],
  [{ objectRequests: 3_000_000, workerRequests: 11_000_000 }, 3.75, 0.6],
  [{ objectGbSeconds: 1_400_000 }, 17.5, 12.5],
  [{ r2ClassA: 2_000_000, r2ClassB: 11_000_000, r2GbMonths: 110 }, 9 + 3.96 + 1.65, 4.5 + 0.36 + 1.5],
  // An hour of standard-2 at a quarter of its core: 6 GiB, 12 GB.
  [{ containerGibSeconds: 21_600, containerVcpuSeconds: 900, containerDiskGbSeconds: 43_200 }, 0.075024, 0],
  [{ containerGibSeconds: 190_000 }, 0.475, 0.25],
];

test.each(used)("%j costs %f dollars, and %f beyond the plan", (usage, dollars, beyond) => {
  const whole = { ...createUsage(), ...usage };
  expect(getTotal(toDollars(whole))).toBeCloseTo(dollars, 9);
  expect(getTotal(toMonthDollars(whole))).toBeCloseTo(beyond, 9);
  expect(getBill(whole)).toBeCloseTo(planDollars + beyond, 9);
});

test("usage adds up", () => {
  const some = { ...createUsage(), r2ClassA: 2, d1RowsRead: 5 };
  expect(addUsages([some, multiplyUsage(some, 3)])).toEqual({ ...createUsage(), r2ClassA: 8, d1RowsRead: 20 });
});

describe("a turn", () => {
  const instance = { vcpu: 1, memoryGib: 6, diskGb: 12 };
  const running = { tailSeconds: 600, instance, keepsContainerObjectAwake: false };

  test("uses its container for its start, the turn, the tail and the save", () => {
    const { containerGibSeconds, containerDiskGbSeconds, containerVcpuSeconds } = getTurnUsage(createCounts(), running);
    expect([containerGibSeconds, containerDiskGbSeconds]).toEqual([910 * 6, 910 * 12]);
    expect(containerVcpuSeconds).toBeCloseTo(310 * 0.25 + 600 * 0.02, 9);
  });

  test("bills an object's calls, alarms, and twentieths of its messages", () => {
    const counts = { ...createCounts(), objectCalls: 3, alarms: 2, messages: 40 };
    expect(getTurnUsage(counts, running).objectRequests).toBe(7);
  });

  test("keeps the session's object awake while a model responds, and the container too where it waits as well", () => {
    const counts = { ...createCounts(), objectBusyMs: 10_000 };
    expect(getTurnUsage(counts, running).objectGbSeconds).toBeCloseTo(210 * 0.128, 9);
    const awake = getTurnUsage(counts, { ...running, keepsContainerObjectAwake: true });
    expect(awake.objectGbSeconds).toBeCloseTo((210 + 910) * 0.128, 9);
  });

  test("counts usage under the service that bills it", () => {
    const counts = {
      ...createCounts(),
      ...{ rowsRead: 1, rowsWritten: 2, objectRowsRead: 3, objectRowsWritten: 4 },
      ...{ storeWrites: 5, storeReads: 6, workerRequests: 7 },
    };
    expect(getTurnUsage(counts, running)).toMatchObject({
      ...{ d1RowsRead: 1, d1RowsWritten: 2, objectRowsRead: 3, objectRowsWritten: 4 },
      ...{ r2ClassA: 5, r2ClassB: 6, workerRequests: 7 },
    });
  });
});

describe("the price list", () => {
  test("names Cloudflare's page of each price", () => {
    const pages = usageNames.map((name) => prices[name].page);
    expect(pages.filter((page) => !page.startsWith("https://developers.cloudflare.com/"))).toEqual([]);
    expect(pricesReadOn).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  test("has the instance that is deployed", () => {
    expect(/instance_type = "(.*)"/.exec(readText("wrangler.toml"))?.[1]).toBe(instanceName);
    expect(Object.keys(instances)).toContain(instanceName);
  });
});

describe("the simulated month", () => {
  const results = runIdleSimulation();
  const find = (name: string) => results.find((one) => one.name === name);
  const [former, rule] = [find(formerLine), find(ruleLine)];

  test("is the same in each run, and another one for another seed", () => {
    const month = JSON.stringify(createMonth(1));
    expect(JSON.stringify(createMonth(1))).toBe(month);
    expect(JSON.stringify(createMonth(2))).not.toBe(month);
  });

  test("has the tail of the standard turn", () => {
    expect(Math.round(rule?.tailSeconds ?? 0)).toBe(recordedTailSeconds);
  });

  test("costs at most ten dollars for a thousand turns, and people wait no tenth longer", () => {
    expect(getThousandTurns(rule?.tailSeconds ?? Number.NaN)).toBeLessThanOrEqual(10);
    expect(rule?.waitSeconds).toBeLessThanOrEqual(1.1 * (former?.waitSeconds ?? 0));
  });

  test("has teams of a hundred parts", () => {
    expect(projects.reduce((sum, { of100 }) => sum + of100, 0)).toBe(100);
  });
});

describe("the table of growth", () => {
  const list = { ms: 2, rowsRead: 3 };
  const work = { savedMegabytes: 500, pauseMs: 9_000, wakeMs: 12_000, pauseCpuMs: 700, storeWrites: 100 };
  const figures = formatGrowth({
    sessions: [{ count: 1_000, page: list, waiting: list, search: list, bytesOfOne: 1_000_000 }],
    runs: { statements: 25, rowsWritten: 42 },
    listeners: [
      { count: 1, ms: 10, busyMs: 5 },
      { count: 1_001, ms: 110, busyMs: 55 },
    ],
    work: [{ megabytes: 1_000, ...work }],
  });

  test.each([
    ["a gigabyte of rows costs what D1 stores it for", "| 0.75 a month for rows | measured |"],
    ["statements of 1 ms, one after the other", "after 250 s | written: 420,000, in 250,000 statements |"],
    [
      "each listener takes as long again",
      "100,000 listeners of a workspace | a change reaches the last listener after 10 s |",
    ],
    [
      "ten times the work",
      "10 GB of work in a sandbox | pause 90 s (CPU of the service 7.0 s), wake 120 s | 1,000 writes",
    ],
  ])("has what was not measured: %s", (_, row) => {
    expect(figures).toContain(row);
  });
});

test("docs/guide/library.md has the table of clients", () => {
  expect(readText("docs/guide/library.md")).toContain(formatClientFigures());
});

test("docs/operate.md has the table of distances", () => {
  expect(readText("docs/operate.md")).toContain(formatDistances());
});

describe("docs/cost.md", () => {
  const document = readText("docs/cost.md");

  test.each(Object.entries(formatCostFigures()))("has the figures of %s", (_, figures) => {
    expect(document).toContain(figures);
  });

  test("has the table of growth", () => {
    expect(document).toContain(formatGrowth());
  });

  test("says when the prices were read", () => {
    expect(document).toContain(pricesReadOn);
  });
});
