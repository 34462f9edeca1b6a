// The routes of relay keys. Owners and admins list, create and revoke the keys of chat tools for
// their workspace.
import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { created, noContent, ok } from "../../http/response.ts";
import { keysMax } from "../../rules/limits.ts";
import { refuse } from "../../rules/refusal.ts";
import { endStreams } from "../../workspace/end-streams.ts";
import { issueRelayKey, listRelayKeys, revokeRelayKey } from "../queries/keys.ts";
import { keyName, newRelayKeySchema, relayKeySchema, toWireRelayKey } from "../wire/key.ts";

const path = "/api/organizations/{workspaceId}/relay-keys";
const tag = "Workspaces";

const list = endpoint({
  method: "GET",
  path,
  operation: "listRelayKeys",
  summary: "List the workspace's relay keys.",
  tag,
  access: "relay-key.manage",
  noun: "workspace",
  response: { status: 200, data: z.array(relayKeySchema) },
  async handle({ env, found }) {
    return ok((await listRelayKeys(env.DB, found.workspace.id)).map(toWireRelayKey));
  },
});

const create = endpoint({
  method: "POST",
  path,
  operation: "createRelayKey",
  summary: "Create a relay key. Only this response contains it.",
  tag,
  access: "relay-key.manage",
  noun: "workspace",
  body: { schema: z.strictObject({ name: keyName }).meta({ examples: [{ name: "Team chat" }] }) },
  response: { status: 201, data: newRelayKeySchema },
  async handle({ env, now, found, body }) {
    const issued = await issueRelayKey(env.DB, { workspaceId: found.workspace.id, name: body.name }, now);
    if (!issued)
      return refuse("BAD_REQUEST", `The workspace has ${keysMax} relay keys. Revoke one that it does not need.`);
    return created({ ...toWireRelayKey(issued.row), key: issued.token });
  },
});

const revoke = endpoint({
  method: "DELETE",
  path: `${path}/{relayKeyId}`,
  operation: "revokeRelayKey",
  summary: "Revoke a relay key. It stops at its next request.",
  tag,
  access: "relay-key.manage",
  noun: "workspace",
  response: { status: 204 },
  async handle({ env, found, params }) {
    const { relayKeyId: keyId } = params;
    if (!(await revokeRelayKey(env.DB, found.workspace.id, keyId)))
      return refuse("NOT_FOUND", "The workspace has no such relay key.");
    endStreams(env, found.workspace.id, { keyId });
    return noContent;
  },
});

export const relayKeyRoutes = [list, create, revoke];
