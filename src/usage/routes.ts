// What a workspace has used at the model providers.
import * as z from "zod";
import { endpoint } from "../http/endpoint.ts";
import { ok } from "../http/response.ts";
import { isRefusal } from "../rules/refusal.ts";
import { readUsage } from "./queries.ts";
import { listIntervals, usageIntervals } from "./rules/interval.ts";
import { findUsageViewer, parseRange } from "./rules/report.ts";
import { toWireUsageReport, usageGroupingSchema, usageReportSchema } from "./wire.ts";

const query = z.strictObject({
  from: z.string().optional().describe("A date (UTC) or a time; the first of this month by default."),
  to: z.string().optional().describe("A date (included) or a time (excluded); now by default."),
  by: usageGroupingSchema.default("session").describe("What to sum up by."),
  interval: z.enum(usageIntervals).optional().describe("Adds the sum of each day or month."),
});

const readReport = endpoint({
  method: "GET",
  path: "/api/organizations/{workspaceId}/usage",
  operation: "readUsage",
  summary:
    "Sum up the use of model calls. Owner and admins see everybody's; members the turns that they sent. At most 1,000 groups are listed.",
  tag: "Workspaces",
  access: "usage.read",
  noun: "workspace",
  with: ["workspaceRecord"],
  query,
  response: { status: 200, data: usageReportSchema },
  refusals: ["BAD_REQUEST"],
  async handle({ env, now, found, caller, query: { by, interval, ...asked } }) {
    const range = parseRange(asked, now);
    if (isRefusal(range)) return range;
    const memberId = findUsageViewer(caller.actor);
    if (isRefusal(memberId)) return memberId;
    const starts = interval === undefined ? null : listIntervals(range, interval, found.workspaceRecord.timezone);
    if (isRefusal(starts)) return starts;
    const report = await readUsage(env.DB, { workspaceId: found.workspace.id, memberId, by, starts, ...range });
    return ok(toWireUsageReport(report, { by, ...range }));
  },
});

export const usageRoutes = [readReport];
