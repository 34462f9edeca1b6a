// The audit log of a workspace, for its owner.
import * as z from "zod";
import { endpoint } from "../http/endpoint.ts";
import { listed } from "../http/response.ts";
import { getIdTime } from "../lib/ids.ts";
import { sizeUpTo } from "../lib/pagination.ts";
import { auditDays, auditPageSizeDefault, auditPageSizeMax } from "../rules/limits.ts";
import { parseTime } from "../rules/moment.ts";
import { refuse } from "../rules/refusal.ts";
import { readAuditLog } from "./read.ts";
import { getDayStart, getFirstDayKept, getFirstIdAt } from "./rules/retention.ts";
import { auditEventSchema, auditMetaSchema, toWireAuditEvent } from "./wire.ts";

const query = z.strictObject({
  since: z.string().optional().describe(`A date or a time; ${auditDays} days back by default.`),
  until: z.string().optional().describe("A date or a time, which is not included; now by default."),
  limit: sizeUpTo(auditPageSizeMax)
    .default(auditPageSizeDefault)
    .describe(`The number of events on a page, at most ${auditPageSizeMax}. A greater value counts as that.`),
  cursor: z.string().optional().describe("`nextCursor` of the previous page."),
});

const readAudit = endpoint({
  method: "GET",
  path: "/api/organizations/{workspaceId}/audit",
  operation: "readAuditLog",
  summary: `Read who changed what in the workspace, newest first, for the last ${auditDays} days. The owner.`,
  tag: "Workspaces",
  access: "audit.read",
  noun: "workspace",
  query,
  response: { status: 200, data: z.array(auditEventSchema), meta: auditMetaSchema },
  refusals: ["BAD_REQUEST"],
  async handle({ env, now, found, query }) {
    const since = query.since === undefined ? getDayStart(getFirstDayKept(now)) : parseTime(query.since);
    const until = query.until === undefined ? now + 1 : parseTime(query.until);
    if (since === null) return refuse("BAD_REQUEST", "`since` is not a date or time. Write it as `2026-01-31`.");
    if (until === null) return refuse("BAD_REQUEST", "`until` is not a date or time. Write it as `2026-01-31`.");
    if (query.cursor !== undefined && Number.isNaN(getIdTime(query.cursor)))
      return refuse("BAD_REQUEST", "`cursor` is not valid. Send the `nextCursor` of the previous page.");
    const range = { workspaceId: found.workspace.id, since, until, before: query.cursor ?? getFirstIdAt(until) };
    const { events, before } = await readAuditLog(env, range, query.limit);
    const pagination = { pageSize: query.limit, hasMore: before !== null, nextCursor: before };
    return listed(events.map(toWireAuditEvent), { pagination });
  },
});

export const auditRoutes = [readAudit];
