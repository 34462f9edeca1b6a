// The credentials of a workspace at the model providers, and which providers the caller can run
// there.
import * as z from "zod";
import { findOwner } from "../../access/rules/actor.ts";
import { endpoint } from "../../http/endpoint.ts";
import { checkKeyTrialLimit } from "../../http/rate-limit.ts";
import { noContent, ok } from "../../http/response.ts";
import { parseProvider } from "../../model/rules/provider.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { listCredentials, listUserLogins } from "../queries/logins.ts";
import {
  accessStatusesSchema,
  apiKeyField,
  credentialsSchema,
  toWireAccessStatuses,
  toWireCredentials,
} from "../wire/credential.ts";
import { deleteWorkspaceCredential, saveWorkspaceCredential } from "../workspace-credential.ts";

const path = "/api/organizations/{workspaceId}";
const tag = "Workspaces";

const readAccess = endpoint({
  method: "GET",
  path: `${path}/access-status`,
  operation: "readAccessStatus",
  summary: "List which model providers you can run in a workspace.",
  tag,
  access: "workspace.read",
  noun: "workspace",
  response: { status: 200, data: accessStatusesSchema },
  async handle({ env, found, caller }) {
    const user = findOwner(caller.actor);
    const [ofWorkspace, own] = await Promise.all([
      listCredentials(env.DB, found.workspace.id),
      user ? listUserLogins(env.DB, user.id) : [],
    ]);
    return ok(toWireAccessStatuses(own, ofWorkspace));
  },
});

const list = endpoint({
  method: "GET",
  path: `${path}/credentials`,
  operation: "listWorkspaceCredentials",
  summary: "List the credentials of a workspace by provider. Owner and admins.",
  tag,
  access: "workspace-credential.manage",
  noun: "workspace",
  response: { status: 200, data: credentialsSchema },
  async handle({ env, found }) {
    return ok(toWireCredentials(await listCredentials(env.DB, found.workspace.id)));
  },
});

const put = endpoint({
  method: "PUT",
  path: `${path}/credentials/{provider}`,
  operation: "putWorkspaceCredential",
  summary: "Replace a workspace's credential by an API key. It is tried with one call first. Owner and admins.",
  tag,
  access: "workspace-credential.manage",
  noun: "workspace",
  body: {
    schema: z
      .strictObject({
        apiKey: apiKeyField,
      })
      .meta({ examples: [{ apiKey: "sk-ant-api03-3kJ9vT0bYcR5mW8pL1nZx7Qa" }] }),
  },
  response: { status: 204 },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, caller, found, params, body: { apiKey } }) {
    const provider = parseProvider(params.provider);
    if (isRefusal(provider)) return provider;
    const excess = await checkKeyTrialLimit(env, caller.user?.id ?? caller.keyId, now);
    if (excess) return excess;
    return (
      (await saveWorkspaceCredential(env, { workspaceId: found.workspace.id, provider, apiKey }, now)) ?? noContent
    );
  },
});

const remove = endpoint({
  method: "DELETE",
  path: `${path}/credentials/{provider}`,
  operation: "deleteWorkspaceCredential",
  summary: "Delete a workspace's credential. Turns that use it end at their next model call. Owner and admins.",
  tag,
  access: "workspace-credential.delete",
  noun: "workspace",
  response: { status: 204 },
  refusals: ["BAD_REQUEST"],
  async handle({ env, found, params }) {
    const provider = parseProvider(params.provider);
    if (isRefusal(provider)) return provider;
    await deleteWorkspaceCredential(env, found.workspace.id, provider);
    return noContent;
  },
});

export const credentialRoutes = [readAccess, list, put, remove];
