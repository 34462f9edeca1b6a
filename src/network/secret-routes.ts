// The secrets of a project that no sandbox contains.
import * as z from "zod";
import { endpoint } from "../http/endpoint.ts";
import { listed, noContent, ok } from "../http/response.ts";
import { isRefusal } from "../rules/refusal.ts";
import { deleteNetworkSecret, isOpeningHttps, listNetworkSecrets, updateNetworkSecret } from "./secrets.ts";
import { networkSecretBody, networkSecretSchema, networkSecretsMeta, toNetworkSecretWire } from "./wire.ts";

const list = endpoint({
  path: "/api/projects/{projectId}/network/secrets",
  method: "GET",
  operation: "listNetworkSecrets",
  summary: "List a project's network secrets, without their values.",
  tag: "Projects",
  noun: "project",
  access: "network.read",
  response: { status: 200, data: z.array(networkSecretSchema), meta: networkSecretsMeta },
  async handle({ env, found }) {
    const secrets = await listNetworkSecrets(env, found.project.id);
    return listed(secrets.map(toNetworkSecretWire), { isEnforced: isOpeningHttps(env) });
  },
});

const ofSecret = {
  path: "/api/projects/{projectId}/network/secrets/{secretName}",
  tag: "Projects",
  noun: "project",
  access: "network-secret.change",
} as const;

const put = endpoint({
  ...ofSecret,
  method: "PUT",
  operation: "putNetworkSecret",
  summary:
    "Set a variable whose value no sandbox contains. Sandboxes get a placeholder, which the value replaces in requests to the named hosts over https. A new value reaches running sandboxes within a minute, a new name or host from their next start. Only admins.",
  body: { schema: networkSecretBody },
  response: { status: 200, data: networkSecretSchema },
  refusals: ["BAD_REQUEST"],
  async handle({ env, now, found, params, body }) {
    const set = { projectId: found.project.id, name: params.secretName, ...body };
    const secret = await updateNetworkSecret(env, set, now);
    return isRefusal(secret) ? secret : ok(toNetworkSecretWire(secret));
  },
});

const remove = endpoint({
  ...ofSecret,
  method: "DELETE",
  operation: "deleteNetworkSecret",
  summary: "Delete a network secret. Running sandboxes keep its placeholder, which nothing replaces any longer.",
  response: { status: 204 },
  async handle({ env, found, params }) {
    const refusal = await deleteNetworkSecret(env, { projectId: found.project.id, name: params.secretName });
    return refusal ?? noContent;
  },
});

export const networkSecretRoutes = [list, put, remove];
