// The table of `docs/cost.md` on how the service grows: measured on one machine, and computed from
// that where one machine ends. A test checks that the document contains it.
import { createUsage, getTotal, multiplyUsage, toDollars } from "./cost.ts";
import { formatTable } from "./markdown-table.ts";
import type { Usage } from "./price-list.ts";
import { recordedCounts } from "./standard-turn.ts";
import { getRunUsage } from "./team-month.ts";

interface ListFigures {
  ms: number;
  rowsRead: number;
}

/** A workspace with this many sessions. */
export interface SessionsFigures {
  count: number;
  /** The first page of a project's sessions. */
  page: ListFigures;
  /** The sessions of the workspace that need somebody. */
  waiting: ListFigures;
  /** A search that finds all of them. */
  search: ListFigures;
  /** What a session adds to the database, in bytes. */
  bytesOfOne: number;
}

/** What a run of a cron asks of the database, from its opening to its end. */
export interface RunFigures {
  statements: number;
  rowsWritten: number;
}

/** A change in a workspace with this many listeners. */
export interface ListenersFigures {
  count: number;
  /** Until the last one has it, in milliseconds. */
  ms: number;
  /** How long objects are busy with it, in milliseconds. */
  busyMs: number;
}

/** A sandbox with this much work. */
export interface WorkFigures {
  megabytes: number;
  savedMegabytes: number;
  pauseMs: number;
  wakeMs: number;
  /** CPU time of the Worker, its objects and the stand-in for the bucket. */
  pauseCpuMs: number;
  storeWrites: number;
}

export interface Growth {
  sessions: SessionsFigures[];
  runs: RunFigures;
  listeners: ListenersFigures[];
  work: WorkFigures[];
}

/** Figures of `npm run bench -- --only growth`, on two cores with a load average of 26. */
const recordedGrowth: Growth = {
  sessions: [
    createSessionsFigures(10, 819, [19, 99], [16, 38], [19, 74]),
    createSessionsFigures(1_000, 983, [16, 1_268], [16, 2_054], [18, 1_264]),
    createSessionsFigures(100_000, 1_033, [52, 100_268], [58, 105_115], [107, 100_264]),
  ],
  runs: { statements: 25, rowsWritten: 42 },
  listeners: [
    { count: 1, ms: 54, busyMs: 55 },
    { count: 1_000, ms: 842, busyMs: 840 },
  ],
  work: [
    { megabytes: 1, savedMegabytes: 1, pauseMs: 862, wakeMs: 2_709, pauseCpuMs: 60, storeWrites: 4 },
    {
      megabytes: 1_000,
      savedMegabytes: 1_002,
      pauseMs: 174_769,
      wakeMs: 163_843,
      pauseCpuMs: 27_620,
      storeWrites: 390,
    },
  ],
};

function createSessionsFigures(
  count: number,
  bytesOfOne: number,
  ...lists: [page: [number, number], waiting: [number, number], search: [number, number]]
): SessionsFigures {
  const [page, waiting, search] = lists.map(([ms, rowsRead]) => ({ ms, rowsRead })) as [
    ListFigures,
    ListFigures,
    ListFigures,
  ];
  return { count, bytesOfOne, page, waiting, search };
}

/**
 * When the last run was recorded, in milliseconds after the slot: figures of `npm run bench --
 * --only cron-burst` on two idle cores.
 */
const recordedBurst = { count: 1_000, ms: 59_000 };

/** D1 does one query at a time. Assumed: the platform's own example of a query of 1 ms. */
const queriesPerSecond = 1_000;
/** The fires of one minute are spread over it. */
const spreadSeconds = 60;
const computed = { crons: 10_000, listeners: 100_000, megabytes: 10_000 };

type Source = "measured" | "computed";
type Row = [what: string, time: string, rows: string, money: string, source: Source, limit: string];

/** What gives out first; for a size that meets no limit, what will as it grows. */
const limits = {
  sessions: "the database: a list counts all sessions of its filter, and so reads a row of each",
  crons:
    "one machine: its disk, then open files at 500 open runs. On Cloudflare: the database, one statement at a time",
  listeners: "the one object of the workspace: its thread, and the 32,768 sockets that the platform allows it",
  work: "the CPU of one invocation: 30 s. Then the disk of the instance: 12 GB",
};

/** The table, in Markdown. */
export function formatGrowth(growth: Growth = recordedGrowth): string {
  return formatTable(
    ["", "Time", "Rows", "Dollars", "Figures", "Gives out first"],
    [
      ...growth.sessions.map(toSessionsRow),
      toCronsRow(growth.runs, 1, spreadSeconds, "computed"),
      toCronsRow(growth.runs, recordedBurst.count, recordedBurst.ms / 1_000, "measured"),
      toCronsRow(growth.runs, computed.crons, getSecondsOfRuns(growth.runs, computed.crons), "computed"),
      ...growth.listeners.map((figures) => toListenersRow(figures, "measured")),
      toListenersRow(getManyListeners(growth.listeners), "computed"),
      ...growth.work.map((figures) => toWorkRow(figures, "measured")),
      toWorkRow(getMuchWork(growth.work), "computed"),
    ],
  );
}

function toSessionsRow({ count, page, waiting, search, bytesOfOne }: SessionsFigures): Row {
  const dollars = toTotal({ d1GbMonths: (count * bytesOfOne) / 1e9 });
  return [
    `${many(count, "session")} in a workspace`,
    `list ${ms(page.ms)}, inbox ${ms(waiting.ms)}, search ${ms(search.ms)}`,
    `read: list ${whole(page.rowsRead)}, inbox ${whole(waiting.rowsRead)}, search ${whole(search.rowsRead)}`,
    `${money(dollars)} a month for rows`,
    "measured",
    limits.sessions,
  ];
}

function toCronsRow({ statements, rowsWritten }: RunFigures, count: number, seconds: number, source: Source): Row {
  const dollars = getTotal(toDollars(multiplyUsage(getRunUsage(recordedCounts), count)));
  return [
    `${many(count, "cron")} due in one minute`,
    `the last one recorded after ${whole(seconds)} s`,
    `written: ${whole(count * rowsWritten)}, in ${whole(count * statements)} statements`,
    `${money(dollars)} for their runs`,
    source,
    limits.crons,
  ];
}

function getSecondsOfRuns({ statements }: RunFigures, count: number): number {
  return Math.max(spreadSeconds, (count * statements) / queriesPerSecond);
}

function toListenersRow({ count, ms: last, busyMs }: ListenersFigures, source: Source): Row {
  const dollars = toTotal({ objectGbSeconds: (busyMs / 1_000) * 0.128 }) * 1_000;
  return [
    `${many(count, "listener")} of a workspace`,
    `a change reaches the last listener after ${ms(last)}`,
    "the same as with one listener",
    `${money(dollars)} for 1,000 changes`,
    source,
    limits.listeners,
  ];
}

/** Each listener costs the same again, because one thread sends to one after the other. */
function getManyListeners(listeners: readonly ListenersFigures[]): ListenersFigures {
  const { listeners: count } = computed;
  const [few, most] = [listeners[0], listeners.at(-1)];
  if (!few || !most || few === most) return { count, ms: 0, busyMs: 0 };
  const grow = (name: "ms" | "busyMs") =>
    few[name] + ((most[name] - few[name]) / (most.count - few.count)) * (count - few.count);
  return { count, ms: grow("ms"), busyMs: grow("busyMs") };
}

function toWorkRow(
  { megabytes, savedMegabytes, pauseMs, wakeMs, pauseCpuMs, storeWrites }: WorkFigures,
  source: Source,
): Row {
  const dollars = toTotal({ r2GbMonths: savedMegabytes / 1_000, r2ClassA: storeWrites });
  const size = megabytes < 1_000 ? `${megabytes} MB` : `${megabytes / 1_000} GB`;
  return [
    `${size} of work in a sandbox`,
    `pause ${seconds(pauseMs)} (CPU of the service ${seconds(pauseCpuMs)}), wake ${seconds(wakeMs)}`,
    `${whole(storeWrites)} writes to the bucket`,
    `${money(dollars)} for a save that is kept a month`,
    source,
    limits.work,
  ];
}

/** Every byte is read, compressed and sent once. */
function getMuchWork(work: readonly WorkFigures[]): WorkFigures {
  const most = work.at(-1);
  const times = computed.megabytes / (most?.megabytes ?? 1);
  const grow = (name: keyof WorkFigures) => (most?.[name] ?? 0) * times;
  return {
    ...{ megabytes: computed.megabytes, savedMegabytes: grow("savedMegabytes"), storeWrites: grow("storeWrites") },
    ...{ pauseMs: grow("pauseMs"), wakeMs: grow("wakeMs"), pauseCpuMs: grow("pauseCpuMs") },
  };
}

function toTotal(usage: Partial<Usage>): number {
  return getTotal(toDollars({ ...createUsage(), ...usage }));
}

const many = (count: number, name: string) => `${whole(count)} ${name}${count === 1 ? "" : "s"}`;
const whole = (value: number) => Math.round(value).toLocaleString("en");
const ms = (value: number) => (value < 10_000 ? `${whole(value)} ms` : seconds(value));
const seconds = (value: number) => `${(value / 1_000).toFixed(value < 10_000 ? 1 : 0)} s`;
const money = (dollars: number) =>
  dollars.toLocaleString("en", { maximumSignificantDigits: dollars < 1 ? 2 : 4, minimumFractionDigits: 2 });
