// A report of usage as the page shows it: rows that add up to the total, and bars.
import type { Schemas } from "@switchyard/client";
import {
  formatCount,
  formatNumberOf,
  formatShortCount,
  formatUsd,
  formatUsdTick,
  toCents,
  toNanos,
} from "./amounts.ts";
import type { Grouping, Measure } from "./search.ts";

type Report = Schemas["UsageReport"];
export type Sum = Schemas["UsageSum"];

/** The groups that have pages of their own. */
const paged = { session: "/s/$session", cron: "/crons/$cron", project: "/p/$project" } as const;

interface GroupPage {
  to: (typeof paged)[keyof typeof paged];
  params: { session: string; cron: string; project: string };
}

/** A deleted group has no name, and no page. */
function findPage({ id, name }: { id: string | null; name: string | null }, by: Grouping): GroupPage | null {
  if (id === null || name === null || by === "model" || by === "member") return null;
  return { to: paged[by], params: { session: id, cron: id, project: id } };
}

export interface Row extends Sum {
  /** The id of the group; `none` for what belongs to none, `rest` for the groups not listed. */
  key: string;
  name: string;
  /** Where the page of the group is; null where there is none. */
  page: GroupPage | null;
}

const noneWords: Record<Grouping, string> = {
  session: "Outside of sessions",
  member: "Sent by no member",
  project: "In no project",
  cron: "By no cron",
  model: "Model not recorded",
};

const counted = ["jobs", "calls", "inputTokens", "cachedTokens", "outputTokens"] as const;

/** A name for a group that has none. */
export function nameGroup({ id, name }: { id: string | null; name: string | null }, by: Grouping): string {
  if (id === null) return noneWords[by];
  return name ?? (by === "model" ? id : `Deleted ${by}`);
}

/** What a total has beyond its groups; null where they are all of it. */
function findRest({ groups, total }: Pick<Report, "groups" | "total">): Sum | null {
  const left = (field: (typeof counted)[number]) =>
    Math.max(0, total[field] - groups.reduce((sum, group) => sum + group[field], 0));
  const nanos = toNanos(total.costUsd ?? 0) - groups.reduce((sum, { costUsd }) => sum + toNanos(costUsd ?? 0), 0);
  const rest = {
    jobs: left("jobs"),
    calls: left("calls"),
    inputTokens: left("inputTokens"),
    cachedTokens: left("cachedTokens"),
    outputTokens: left("outputTokens"),
    costUsd: total.costUsd === null ? null : nanos / 1e9,
  };
  return nanos !== 0 || rest.calls > 0 ? rest : null;
}

export interface Table {
  rows: Row[];
  total: Sum;
  /** What to add to the cents of the rows to get those of the total. */
  roundingCents: number;
}

/** The rows of a report, and what rounding each of them to the cent has left out. */
export function makeTable(
  { groups, total, by }: Omit<Report, "series">,
  nameModel: (id: string) => string | null,
): Table {
  const named = groups.map(({ id, name, ...sum }) => ({
    ...sum,
    key: id ?? "none",
    name: nameGroup({ id, name: by === "model" && id !== null ? nameModel(id) : name }, by),
    page: findPage({ id, name }, by),
  }));
  const rest = findRest({ groups, total });
  const rows = rest === null ? named : [...named, { ...rest, key: "rest", name: "All others", page: null }];
  const shown = rows.reduce((sum, { costUsd }) => sum + toCents(costUsd ?? 0), 0);
  return { rows, total, roundingCents: toCents(total.costUsd ?? 0) - shown };
}

export const getTokens = ({ inputTokens, cachedTokens, outputTokens }: Sum): number =>
  inputTokens + cachedTokens + outputTokens;

export const measure = (sum: Sum, by: Measure): number => (by === "cost" ? (sum.costUsd ?? 0) : getTokens(sum));

function addSums(one: Sum, other: Sum): Sum {
  const costUsd =
    one.costUsd === null && other.costUsd === null
      ? null
      : (toNanos(one.costUsd ?? 0) + toNanos(other.costUsd ?? 0)) / 1e9;
  return {
    costUsd,
    jobs: one.jobs + other.jobs,
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

/** The rows that get a bar, the largest first; those beyond `max` bars share the last one. */
export function listBars(rows: readonly Row[], by: Measure, max = 12): Row[] {
  const isRest = ({ key }: Row) => key === "rest";
  const sorted = rows.toSorted(
    (one, other) => Number(isRest(one)) - Number(isRest(other)) || measure(other, by) - measure(one, by),
  );
  if (sorted.length <= max) return sorted;
  const [first, ...others] = sorted.slice(max - 1);
  if (!first) return sorted;
  const sum = others.reduce<Sum>(addSums, first);
  return [...sorted.slice(0, max - 1), { ...sum, key: "rest", name: "All others", page: null }];
}

/** All numbers of a sum in words, its cost first. */
export const listNumbers = (row: Sum): string[] => [
  row.costUsd === null ? "nothing to pay" : formatUsd(row.costUsd),
  formatNumberOf(row.jobs, "turn"),
  formatNumberOf(row.calls, "model call"),
  `${formatCount(row.inputTokens)} tokens in`,
  `${formatCount(row.cachedTokens)} cached`,
  `${formatCount(row.outputTokens)} out`,
];

/** A number of an axis whose ticks are this step apart. */
export const formatTick = (tick: number, step: number, by: Measure): string =>
  by === "cost" ? formatUsdTick(tick, step) : formatShortCount(tick);
