// How many prebuilds a busy project makes and stores, and what they cost. The documents have the
// same figures.
import { readFileSync } from "node:fs";
import { expect, it, test } from "vitest";
import { prices } from "../../../bench/lib/price-list.ts";
import { endedWorkDays } from "../../../src/rules/limits.ts";
import { getPrebuildChoice, type PrebuildChoice } from "../../../src/sandbox/rules/prebuild.ts";

// A project with 20 merges a day: after each, a session starts on the newest prebuild, updates it,
// and ends with its own merge a day later. The newest prebuild stays; an older one is deleted once
// no session's work is based on it.
const mergesADay = 20;
const sessionDays = 1;
const year = 365;
const dayMs = 24 * 3_600_000;
const baseGb = 0.2;

interface Habits {
  /** The hours of a day over which its merges are spread evenly. */
  hours: number;
  /** How long it takes to update a prebuild. */
  tookMs: number;
}

/**
 * The prebuilds that are made within some days, and the most that are stored at a time; ended work
 * is deleted after `keptDays`.
 */
function basesAfter(
  days: number,
  { hours, tookMs }: Habits,
  { keptDays = endedWorkDays, choose = getPrebuildChoice } = {},
): { made: number; kept: number } {
  let newest = { id: 0, madeAt: 0, clonedAt: 0 };
  // All work is stored for the same time, so it is deleted in the order in which it came.
  const work: { base: number; leavesAt: number }[] = [];
  let gone = 0;
  const worksOn = new Map<number, number>();
  const add = (base: number, more: 1 | -1) => {
    const works = (worksOn.get(base) ?? 0) + more;
    if (works === 0) worksOn.delete(base);
    else worksOn.set(base, works);
  };
  let kept = 0;
  for (let merge = 0; merge < days * mergesADay; merge++) {
    const now = (Math.floor(merge / mergesADay) + ((merge % mergesADay) / mergesADay) * (hours / 24)) * dayMs;
    for (let next = work[gone]; next && next.leavesAt <= now; next = work[gone]) {
      add(next.base, -1);
      gone++;
    }
    work.push({ base: newest.id, leavesAt: now + (sessionDays + keptDays) * dayMs });
    add(newest.id, 1);
    const choice = choose({ ...newest, tookMs, moversHere: 1 }, now);
    if (choice === "keep") continue;
    newest = { id: newest.id + 1, madeAt: now, clonedAt: choice === "clone" ? now : newest.clonedAt };
    // No work is based on the newest one yet.
    kept = Math.max(kept, worksOn.size + 1);
  }
  return { made: newest.id + 1, kept };
}

const atWork = { hours: 10, tookMs: 60_000 };
const aroundTheClock = { hours: 24, tookMs: 60_000 };
const quick = { hours: 10, tookMs: 1_000 };

it.each<[string, Habits, made: number, kept: number]>([
  ["whose setup runs again within 3 seconds", quick, 53, 4],
  ["whose setup takes a minute, in ten hours", atWork, 1_825, 77],
  ["whose setup takes a minute, around the clock", aroundTheClock, 3_650, 152],
])("a project %s makes and stores few prebuilds", (_, habits, made, kept) => {
  expect(basesAfter(year, habits)).toEqual({ made, kept });
  expect(basesAfter(3 * year, habits).kept).toBe(kept);
});

it("a prebuild for each merge would be many more, and without a deletion of ended work they would grow with the years", () => {
  const always = (): PrebuildChoice => "update";
  expect(basesAfter(year, atWork, { choose: always })).toEqual({ made: 7_301, kept: 301 });
  expect(basesAfter(year, atWork, { choose: always, keptDays: Number.POSITIVE_INFINITY }).kept).toBe(7_301);
});

test("docs/cost.md and docs/operate.md have these figures", () => {
  const readText = (path: string) => readFileSync(path, "utf8").replaceAll(/\s+/g, " ");
  const cost = readText("docs/cost.md");
  const money = (bases: number) => (bases * baseGb * prices.r2GbMonths.dollars).toFixed(2);
  for (const habits of [quick, atWork, aroundTheClock]) {
    const { made, kept } = basesAfter(year, habits);
    expect(cost).toContain(`| ${made.toLocaleString("en")} | ${kept} | ${money(kept)} |`);
  }
  expect(cost).toContain(`| 7,301 | 301 | ${money(301)} |`);
  expect(readText("docs/operate.md")).toContain(`keeps ${basesAfter(year, atWork).kept} bases`);
});
