// The search in the messages of all sessions that a caller may read.
import * as z from "zod";
import { findReach } from "../../access/rules/reachable-workspaces.ts";
import { endpoint } from "../../http/endpoint.ts";
import { paged } from "../../http/response.ts";
import { pageQuery } from "../../lib/pagination.ts";
import { listParameter } from "../../lib/wire.ts";
import { messageSearchCharactersMax } from "../../rules/limits.ts";
import { refuse } from "../../rules/refusal.ts";
import { findMessages, readSearchFacts } from "../queries/message-texts.ts";
import { checkFilter } from "../rules/filter.ts";
import { messageMatchSchema, toWireMessageMatch } from "../wire.ts";

const search = endpoint({
  method: "GET",
  path: "/api/message-search",
  operation: "searchMessages",
  summary:
    "Search the messages of your workspaces, newest first. Of a turn, it has the first 50 messages and the last text.",
  tag: "Chat sessions",
  access: "session.search",
  noun: "none",
  query: pageQuery.extend({
    q: z
      .string()
      .max(messageSearchCharactersMax)
      .describe("Words of a message, all of them. The last one may be the start of a word."),
    workspace: listParameter(z.string(), "Ids of workspaces"),
    project: listParameter(z.string().toLowerCase(), "Ids of projects"),
  }),
  response: { status: 200, data: z.array(messageMatchSchema), isPaged: true },
  refusals: ["BAD_REQUEST"],
  async handle({ env, caller, query: { q, workspace, project, page, pageSize } }) {
    const reach = findReach(caller);
    if (!reach) return refuse("FORBIDDEN");
    const named = { workspaceIds: workspace, projectIds: project };
    const facts = await readSearchFacts(env.DB, { reach, ...named });
    const refusal = checkFilter(named, facts);
    if (refusal) return refusal;
    const reached = workspace.length > 0 ? workspace : facts.reached;
    const projectIds = facts.reachedProject === null ? project : [facts.reachedProject];
    const { matches, total } = await findMessages(env.DB, q, { reached, projectIds, page, pageSize });
    return paged(
      matches.map((match) => toWireMessageMatch(match, env.PUBLIC_URL)),
      { page, pageSize, total },
    );
  },
});

export const messageSearchRoutes = [search];
