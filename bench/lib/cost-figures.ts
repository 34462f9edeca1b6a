// The figures of `docs/cost.md`, as its tables. A test checks that the document contains them.
import { getBill, getTotal, getTurnUsage, toDollars, toMonthDollars, type UsageName } from "./cost.ts";
import type { Counts } from "./counts.ts";
import { formerLine, runIdleSimulation } from "./idle-simulation.ts";
import { formatTable } from "./markdown-table.ts";
import { instances, planDollars, type Usage } from "./price-list.ts";
import { recordedCounts } from "./standard-turn.ts";
import {
  awayRunning,
  getMonthParts,
  getMonthUsage,
  getRunningUsage,
  getRunUsage,
  people,
  standardRunning,
} from "./team-month.ts";

/** What is billed, in groups that make sense to a reader. */
const kinds: [title: string, names: UsageName[]][] = [
  ["Memory of the container", ["containerGibSeconds"]],
  ["Its CPU", ["containerVcpuSeconds"]],
  ["Its disk", ["containerDiskGbSeconds"]],
  ["Objects that are awake", ["objectGbSeconds"]],
  ["Rows written", ["objectRowsWritten", "d1RowsWritten"]],
  ["Rows read", ["objectRowsRead", "d1RowsRead"]],
  ["Requests to Worker and objects, CPU of the Worker", ["workerRequests", "workerCpuMs", "objectRequests"]],
  ["Operations of R2", ["r2ClassA", "r2ClassB"]],
  ["Kept in R2, objects and D1", ["r2GbMonths", "objectGbMonths", "d1GbMonths"]],
  ["Traffic of containers", ["containerEgressGb"]],
];

/** The tables by name, each in Markdown. */
export function formatCostFigures(counts: Counts = recordedCounts): Record<string, string> {
  return {
    "a thousand turns": thousandTurns(counts),
    "other ways to run": otherWays(counts),
    "a month of ten": month(counts),
    "what a month consists of": parts(counts),
    "one cron": oneCron(counts),
    "a sandbox that is up": upFor(),
    "idle tails": idleTails(counts),
  };
}

function thousandTurns(counts: Counts): string {
  const usage = getTurnUsage(counts, standardRunning);
  const dollars = toDollars(usage);
  const all = getTotal(dollars);
  const rows = kinds
    .map(([title, names]) => [title, names.reduce((sum, name) => sum + dollars[name], 0)] as const)
    .filter(([, sum]) => sum > 0)
    .toSorted(([, one], [, other]) => other - one)
    .map(([title, sum]) => [title, money(sum * 1_000), percent(sum / all)]);
  return formatTable(["1,000 standard turns", "Dollars", "Share"], [...rows, ["All", money(all * 1_000), ""]]);
}

function otherWays(counts: Counts): string {
  const cost = (running: typeof standardRunning) => money(getTotal(toDollars(getTurnUsage(counts, running))) * 1_000);
  const { tailSeconds } = standardRunning;
  const sizes = ["standard-1", "standard-3", "standard-4"].map((name) => {
    const instance = instances[name] ?? standardRunning.instance;
    return [`On \`${name}\`, ${instance.memoryGib} GiB`, cost({ ...standardRunning, instance })];
  });
  return formatTable(
    ["1,000 standard turns", "Dollars"],
    [
      [`As above: ${tailSeconds} seconds of tail`, cost(standardRunning)],
      [`The next turn is an hour away: ${awayRunning.tailSeconds} seconds of tail`, cost(awayRunning)],
      ["The next message comes immediately: no tail", cost({ ...standardRunning, tailSeconds: 0 })],
      ["A tail of ten minutes", cost({ ...standardRunning, tailSeconds: 600 })],
      ["A tail of half an hour", cost({ ...standardRunning, tailSeconds: 1_800 })],
      [
        "The container's object stays awake while the container runs",
        cost({ ...standardRunning, keepsContainerObjectAwake: true }),
      ],
      ...sizes,
    ],
  );
}

function month(counts: Counts): string {
  const usage = getMonthUsage(counts);
  const dollars = toMonthDollars(usage);
  const addUp = (of: Usage, names: UsageName[]) => names.reduce((sum, name) => sum + of[name], 0);
  const rows = kinds
    .map(([title, names]) => [title, addUp(toDollars(usage), names), addUp(dollars, names)] as const)
    .filter(([, sum]) => sum > 0)
    .map(([title, sum, beyond]) => [title, money(sum), money(beyond)]);
  const bill = getBill(usage);
  return formatTable(
    [`A month of ${people} people`, "Dollars", "Beyond what the plan includes"],
    [
      ...rows,
      ["The plan", "", money(planDollars)],
      ["**All**", money(getTotal(toDollars(usage))), `**${money(bill)}**`],
      ["Each person", "", money(bill / people)],
    ],
  );
}

function parts(counts: Counts): string {
  const costs = Object.entries(getMonthParts(counts)).map(
    ([part, usage]) => [part, getTotal(toDollars(usage))] as const,
  );
  const all = costs.reduce((sum, [, cost]) => sum + cost, 0);
  return formatTable(
    ["Part of the month", "Dollars, if the plan included nothing", "Share"],
    costs.map(([part, cost]) => [`${part.charAt(0).toUpperCase()}${part.slice(1)}`, money(cost), percent(cost / all)]),
  );
}

function oneCron(counts: Counts): string {
  const run = getTotal(toDollars(getRunUsage(counts)));
  const often: [string, number][] = [
    ["Every 15 minutes", 30 * 96],
    ["Each hour", 30 * 24],
    ["Each working day", 21],
  ];
  return formatTable(
    ["A cron of one project", "Dollars a month"],
    often.map(([title, runs]) => [title, money(runs * run)]),
  );
}

function idleTails(counts: Counts): string {
  const results = runIdleSimulation();
  const former = results.find(({ name }) => name === formerLine)?.waitSeconds ?? 0;
  return formatTable(
    ["After a turn, a sandbox stays up until", "Mean tail", "1,000 turns, dollars", "Turns with a wake", "Waits"],
    results.map(({ name, tailSeconds, wakesOf100, waitSeconds }) => [
      name,
      `${Math.round(tailSeconds)} s`,
      money(getThousandTurns(tailSeconds, counts)),
      percent(wakesOf100 / 100),
      `${Math.round(waitSeconds)} s, ${percent(waitSeconds / former)}`,
    ]),
  );
}

/** Dollars of a thousand standard turns with another tail. */
export function getThousandTurns(tailSeconds: number, counts: Counts = recordedCounts): number {
  return getTotal(toDollars(getTurnUsage(counts, { ...standardRunning, tailSeconds }))) * 1_000;
}

function upFor(): string {
  const cost = (seconds: number) => `${(getTotal(toDollars(getRunningUsage(seconds))) * 100).toFixed(2)}`;
  return formatTable(
    ["A sandbox that is up and does nothing", "Cents"],
    [
      ["A minute", cost(60)],
      ["The ten minutes of a spare that nobody takes", cost(600)],
      ["An hour", cost(3_600)],
      ["A month (a sandbox that is never paused)", cost(30 * 86_400)],
    ],
  );
}

function money(dollars: number): string {
  return dollars.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
