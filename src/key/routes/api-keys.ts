// The routes of API keys. A user lists, creates and revokes their own keys in a browser. A key can
// revoke itself.
import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { created, noContent, ok } from "../../http/response.ts";
import { timestamp } from "../../lib/wire.ts";
import { isRefusal, refuse, refuseField } from "../../rules/refusal.ts";
import { createApiKey, revokeKey } from "../create-and-revoke.ts";
import { listApiKeys } from "../queries/keys.ts";
import { apiKeySchema, keyName, newApiKeySchema, toWireApiKey } from "../wire/key.ts";

const path = "/api/user/api-keys";
const tag = "Account";

const list = endpoint({
  method: "GET",
  path,
  operation: "listApiKeys",
  summary: "List your API keys.",
  tag,
  access: "api-key.manage",
  noun: "none",
  response: { status: 200, data: z.array(apiKeySchema) },
  async handle({ env, caller }) {
    const keys = caller.user ? await listApiKeys(env.DB, caller.user.id) : [];
    return ok(keys.map(toWireApiKey));
  },
});

const create = endpoint({
  method: "POST",
  path,
  operation: "createApiKey",
  summary: "Create an API key. Only this response contains it.",
  tag,
  access: "api-key.manage",
  noun: "none",
  body: {
    schema: z
      .strictObject({
        name: keyName,
        expiresAt: timestamp.nullable().optional().describe("When it expires; null for never."),
      })
      .meta({ examples: [{ name: "Laptop", expiresAt: null }] }),
  },
  response: { status: 201, data: newApiKeySchema },
  async handle({ env, now, caller, body }) {
    if (!caller.user) return refuse("FORBIDDEN");
    const expiresAt = body.expiresAt ? Date.parse(body.expiresAt) : null;
    if (expiresAt !== null && expiresAt <= now) return refuseField("expiresAt", "must be a time in the future");
    const made = await createApiKey(env, { userId: caller.user.id, name: body.name, expiresAt }, now);
    return isRefusal(made) ? made : created({ ...toWireApiKey(made.row), key: made.token });
  },
});

const readItself = endpoint({
  method: "GET",
  path: `${path}/current`,
  operation: "readCurrentApiKey",
  summary: "Read the API key of this request.",
  tag,
  access: "api-key.read-itself",
  noun: "none",
  response: { status: 200, data: apiKeySchema },
  async handle({ env, caller }) {
    const keys = caller.user ? await listApiKeys(env.DB, caller.user.id) : [];
    const own = keys.find(({ id }) => id === caller.keyId);
    return own ? ok(toWireApiKey(own)) : refuse("NOT_FOUND", "The key was revoked meanwhile.");
  },
});

const revokeItself = endpoint({
  method: "DELETE",
  path: `${path}/current`,
  operation: "revokeCurrentApiKey",
  summary: "Revoke the key of this request.",
  tag,
  access: "api-key.revoke-itself",
  noun: "none",
  response: { status: 204 },
  async handle({ env, caller }) {
    if (caller.user) await revokeKey(env, { kind: "api-key", userId: caller.user.id, keyId: caller.keyId });
    return noContent;
  },
});

const revoke = endpoint({
  method: "DELETE",
  path: `${path}/{keyId}`,
  operation: "revokeApiKey",
  summary: "Revoke one of your API keys. It stops at its next request.",
  tag,
  access: "api-key.manage",
  noun: "none",
  response: { status: 204 },
  async handle({ env, caller, params }) {
    const keyId = params.keyId;
    const isRevoked = caller.user && (await revokeKey(env, { kind: "api-key", userId: caller.user.id, keyId }));
    return isRevoked ? noContent : refuse("NOT_FOUND", "You have no such API key.");
  },
});

// The fixed path must come before the one with a parameter.
export const apiKeyRoutes = [list, create, readItself, revokeItself, revoke];
