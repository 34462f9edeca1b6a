// Lists of sessions: those of a project, and those across projects and workspaces.
import * as z from "zod";
import { type Caller, findPersonId } from "../../access/rules/caller.ts";
import { findReach } from "../../access/rules/reachable-workspaces.ts";
import { turnStatuses } from "../../chat/rules/turn.ts";
import type { Env } from "../../env.ts";
import { endpoint } from "../../http/endpoint.ts";
import { flag, repeatable } from "../../http/query.ts";
import { paged, type RouteResult } from "../../http/response.ts";
import { pageQuery } from "../../lib/pagination.ts";
import { listParameter } from "../../lib/wire.ts";
import { metadataFiltersMax, sessionRefCharactersMin } from "../../rules/limits.ts";
import { type Refusal, refuse, refuseField } from "../../rules/refusal.ts";
import { listSessions } from "../queries/lists.ts";
import { type AssigneeFilter, checkFilter, checkRef, parseSessionRef, sessionOrders } from "../rules/filter.ts";
import { parseMetadataFilter } from "../rules/metadata.ts";
import { sessionStatuses } from "../rules/status.ts";
import { sessionSchema, toWireSummary } from "../wire.ts";

const tag = "Chat sessions";

const assigneeQuery = z
  .union([z.enum(["me", "service", "none"]), z.string().regex(/^usr_[\w-]+$/)])
  .optional()
  .describe("`me`, `service`, `none`, or a user id.");

const listQuery = pageQuery.extend({
  workspace: listParameter(z.string(), "Ids of workspaces"),
  project: listParameter(z.string().toLowerCase(), "Ids of projects"),
  status: listParameter(z.enum(sessionStatuses), "Statuses"),
  assignee: assigneeQuery,
  search: z.string().default("").describe("A part of the title or the prompt, in any case."),
  needsYou: flag().describe("With `true`, only those that need somebody; `false` is no filter."),
  job: listParameter(z.enum(turnStatuses), "Statuses of the newest job"),
  ref: z
    .string()
    .max(250)
    .optional()
    .describe(
      "One session: its id, the last 6 characters of it or more, its branch, or `pr:12`. One that means several is refused, with those in `details.sessions`.",
    ),
  metadata: repeatable(z.string())
    .refine((conditions) => conditions.length <= metadataFiltersMax, `takes at most ${metadataFiltersMax} conditions`)
    .default([])
    .describe("Metadata such as `ci:1234`. If repeated, all must match."),
  sort: z.enum(sessionOrders).default("created").describe("Newest, most recently changed, or most urgent first."),
});
type ListQuery = z.infer<typeof listQuery>;

const response = { status: 200, data: z.array(sessionSchema), isPaged: true } as const;

const listOfProject = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/chat-sessions",
  operation: "listSessions",
  summary: "List the sessions of a project, newest first.",
  tag,
  access: "session.list",
  noun: "project",
  query: listQuery,
  response,
  refusals: ["BAD_REQUEST"],
  handle: ({ env, caller, found, query }) => list(env, caller, found.project.id, query),
});

const search = endpoint({
  method: "GET",
  path: "/api/chat-sessions",
  operation: "searchSessions",
  summary: "List the sessions of your workspaces, newest first.",
  tag,
  access: "session.search",
  noun: "none",
  query: listQuery,
  response,
  refusals: ["BAD_REQUEST"],
  handle: ({ env, caller, query }) => list(env, caller, null, query),
});

async function list(
  env: Env,
  caller: Caller,
  projectId: string | null,
  { page, pageSize, ...asked }: ListQuery,
): Promise<RouteResult | Refusal> {
  const reach = findReach(caller);
  if (!reach) return refuse("FORBIDDEN");
  const filter = {
    workspaceIds: asked.workspace,
    projectIds: asked.project,
    statuses: asked.status,
    assignee: asked.assignee === undefined ? null : assigneeFilter(asked.assignee, caller),
    search: asked.search,
    needsYou: asked.needsYou,
    turnStatuses: asked.job,
    ref: asked.ref === undefined ? null : parseSessionRef(asked.ref),
    metadata: asked.metadata.map(parseMetadataFilter).filter((one) => one !== null),
  };
  if (asked.ref !== undefined && filter.ref === null)
    return refuseField("ref", `must have at least ${sessionRefCharactersMin} characters, or be pr: and a number`);
  if (filter.metadata.length < asked.metadata.length)
    return refuseField("metadata", "must be a key and a value, as `ci:1234`");
  const readerId = findPersonId(caller);
  const wanted = { reach, projectId, readerId, filter, order: asked.sort, page, pageSize };
  const { facts, summaries, seenMarks, total } = await listSessions(env.DB, wanted);
  const items = summaries.map((summary, at) =>
    toWireSummary(summary, env.PUBLIC_URL, readerId === null ? undefined : seenMarks[at]),
  );
  const candidates = items.map(({ id, title, projectId }) => ({ id, title, projectId }));
  return checkFilter(filter, facts) ?? checkRef(filter.ref, candidates) ?? paged(items, { page, pageSize, total });
}

/** For a caller without a user, `me` matches nothing. */
function assigneeFilter(asked: NonNullable<ListQuery["assignee"]>, { user }: Caller): AssigneeFilter {
  if (asked === "service" || asked === "none") return { kind: asked };
  return { kind: "member", userId: asked === "me" ? (user?.id ?? "") : asked };
}

export const sessionListRoutes = [listOfProject, search];
