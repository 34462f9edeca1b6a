// The plugins that the Official Marketplaces offer, and which of them the user has enabled.
import * as z from "zod";
import { findOwner } from "../access/rules/actor.ts";
import { endpoint } from "../http/endpoint.ts";
import { noContent, ok } from "../http/response.ts";
import { refuse, refuseField } from "../rules/refusal.ts";
import { listOfferedPlugins, switchPlugin } from "./queries/plugins.ts";
import { isPluginId, pluginProviders } from "./rules/plugin.ts";
import { pluginSchema, toWirePlugin } from "./wire.ts";

const path = "/api/user/plugins";
const tag = "Account";

const list = endpoint({
  method: "GET",
  path,
  operation: "listPlugins",
  summary:
    "List the plugins of the Official Marketplaces. For an agent or a cron run, with what the member has on that it acts as; none for a run whose cron another wrote last.",
  tag,
  access: "plugin.list",
  noun: "none",
  query: z.strictObject({ provider: z.enum(pluginProviders).optional().describe("Whose marketplaces.") }),
  response: { status: 200, data: z.array(pluginSchema) },
  async handle({ env, caller: { actor, workspaceId }, query: { provider = null } }) {
    const user = findOwner(actor);
    if (!user) return ok([]);
    const asked = { userId: user.id, provider, onlyWorkspaceId: workspaceId };
    const { offered, workspaces } = await listOfferedPlugins(env.DB, asked);
    const named = workspaces.map((one) => ({ workspaceId: one.id, workspaceName: one.name }));
    return ok(offered.map((one) => toWirePlugin(one, named)));
  },
});

const change = endpoint({
  method: "PATCH",
  path: `${path}/{pluginId}`,
  operation: "switchPlugin",
  summary: "Switch a plugin on or off. The sessions that you are the Assignee of follow at their next turn.",
  tag,
  access: "plugin.change",
  noun: "none",
  body: {
    schema: z
      .strictObject({ enabled: z.boolean().describe("True to have it.") })
      .meta({ examples: [{ enabled: true }] }),
  },
  response: { status: 204 },
  refusals: ["NOT_FOUND"],
  async handle({ env, now, caller: { user }, params: { pluginId }, body: { enabled } }) {
    if (!isPluginId(pluginId)) return refuseField("pluginId", "is not of the form <plugin>@<marketplace>");
    if (!user) return refuse("FORBIDDEN");
    const isSwitched = await switchPlugin(env.DB, { userId: user.id, pluginId, enabled }, now);
    return isSwitched ? noContent : refuse("NOT_FOUND", "No Official Marketplace offers this plugin.");
  },
});

export const pluginRoutes = [list, change];
