// The routes of connected agents. A person lists and disconnects their own in a browser.
import * as z from "zod";
import { endpoint } from "../http/endpoint.ts";
import { noContent, ok } from "../http/response.ts";
import { revokeKey } from "../key/create-and-revoke.ts";
import { refuse } from "../rules/refusal.ts";
import { listConnectedAgents } from "./queries.ts";
import { connectedAgentSchema, toWireConnectedAgent } from "./wire.ts";

const path = "/api/user/connected-agents";
const tag = "Account";

const list = endpoint({
  method: "GET",
  path,
  operation: "listConnectedAgents",
  summary: "List the agents that you connected over MCP.",
  tag,
  access: "api-key.manage",
  noun: "none",
  response: { status: 200, data: z.array(connectedAgentSchema) },
  async handle({ env, now, caller }) {
    const agents = caller.user ? await listConnectedAgents(env.DB, caller.user.id, now) : [];
    return ok(agents.map(toWireConnectedAgent));
  },
});

const disconnect = endpoint({
  method: "DELETE",
  path: `${path}/{agentId}`,
  operation: "disconnectAgent",
  summary: "Disconnect one of them.",
  tag,
  access: "api-key.manage",
  noun: "none",
  response: { status: 204 },
  async handle({ env, caller: { user }, params }) {
    const key = user && { kind: "client" as const, userId: user.id, keyId: params.agentId };
    return key && (await revokeKey(env, key)) ? noContent : refuse("NOT_FOUND", "You have no such connected agent.");
  },
});

export const connectedAgentRoutes = [list, disconnect];
