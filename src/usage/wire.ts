// A usage report on the wire.
import * as z from "zod";
import { exampleIds, exampleTimes, formatTime, timestamp } from "../lib/wire.ts";
import type { UsageGroup, UsagePoint, UsageReport, UsageSum } from "./queries.ts";
import { type UsageGrouping, type UsageRange, usageGroupings } from "./rules/report.ts";
import { toUsd } from "./rules/usage.ts";

const exampleSum = {
  jobs: 10,
  calls: 42,
  inputTokens: 182_500,
  cachedTokens: 420_000,
  outputTokens: 13_100,
  costUsd: 1.076,
};

export const usageGroupingSchema = z
  .enum(usageGroupings)
  .meta({ id: "UsageGrouping", description: "The groups of a usage report." });

const sumFields = {
  jobs: z.int().describe("The number of turns, commands, drafts and titles."),
  calls: z.int().describe("The number of model calls that got a response."),
  inputTokens: z.int().describe("Input that was not read from the provider's cache."),
  cachedTokens: z.int().describe("Input that was read from the provider's cache."),
  outputTokens: z.int().describe("Output, reasoning included."),
  costUsd: z
    .number()
    .nullable()
    .describe("The workspace's cost in US dollars; null if members' subscriptions paid all."),
};

const sumSchema = z
  .object(sumFields)
  .meta({ id: "UsageSum", description: "What several turns have used.", examples: [exampleSum] });

const exampleGroup = { id: exampleIds.session, name: "Sort departures by time", ...exampleSum };

const groupSchema = z
  .object({
    id: z.string().nullable().describe("The id of the session, member, project, cron or model; null for none."),
    name: z.string().nullable().describe("Its title or name; null if deleted."),
    ...sumFields,
  })
  .meta({ id: "UsageGroup", description: "What the turns of a group have used.", examples: [exampleGroup] });

const examplePoint = { from: exampleTimes.started, total: exampleSum };

const pointSchema = z
  .object({
    from: timestamp.describe("The beginning of the day or month."),
    total: sumSchema.describe("What was used in it."),
  })
  .meta({ id: "UsagePoint", description: "What a day or month has used.", examples: [examplePoint] });

export const usageReportSchema = z
  .object({
    from: timestamp.describe("The beginning of the report."),
    to: timestamp.describe("Its end, which is not included."),
    by: usageGroupingSchema.describe("The grouping of the report."),
    groups: z.array(groupSchema).describe("The groups, the most expensive first."),
    total: sumSchema.describe("All groups together, also those that are not listed."),
    series: z.array(pointSchema).nullable().describe("The days or months; null without `interval`."),
  })
  .meta({
    id: "UsageReport",
    description: "What a workspace has used within a time.",
    examples: [
      {
        ...{ from: exampleTimes.started, to: exampleTimes.later, by: "session" },
        ...{ groups: [exampleGroup], total: exampleSum, series: [examplePoint] },
      },
    ],
  });

export function toWireUsageReport(
  { groups, total, series }: UsageReport,
  { from, to, by }: UsageRange & { by: UsageGrouping },
): z.infer<typeof usageReportSchema> {
  return {
    ...{ from: formatTime(from), to: formatTime(to), by },
    ...{ groups: groups.map(toWireGroup), total: toWireSum(total), series: series?.map(toWirePoint) ?? null },
  };
}

function toWireGroup({ id, name, ...sum }: UsageGroup) {
  return { id, name, ...toWireSum(sum) };
}

function toWirePoint({ from, ...sum }: UsagePoint) {
  return { from: formatTime(from), total: toWireSum(sum) };
}

function toWireSum({ turns, calls, inputTokens, cachedTokens, outputTokens, nanoUsd }: UsageSum) {
  const costUsd = nanoUsd === null ? null : toUsd(nanoUsd);
  return { jobs: turns, calls, inputTokens, cachedTokens, outputTokens, costUsd };
}
