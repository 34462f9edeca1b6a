// Keys on the wire. Only the response that creates a key contains the key itself.
import * as z from "zod";
import { exampleIds, exampleTimes, formatTime, formatTimeOrNull, timestamp, uuid } from "../../lib/wire.ts";
import { keyNameCharactersMax } from "../../rules/limits.ts";
import type { KeyRow } from "../queries/keys.ts";

export const keyName = z.string().trim().min(1).max(keyNameCharactersMax).describe("The key's name in lists.");

const exampleRelayKey = { id: exampleIds.key, name: "Team chat", lastFour: "x7Qa", createdAt: exampleTimes.started };
const exampleApiKey = { ...exampleRelayKey, name: "Laptop", lastUsedAt: exampleTimes.later, expiresAt: null };
const secretEnd = "3kJ9vT0bYcR5mW8pL1nZ6dF2gH4sA7eUqXoIyBtx7Qa";

export const relayKeySchema = z
  .object({
    id: uuid.describe("The key's id."),
    name: z.string().describe("The name that its owner gave it."),
    lastFour: z.string().describe("The last four characters of the key."),
    createdAt: timestamp.describe("When it was made."),
  })
  .meta({
    id: "RelayKey",
    description: "The key of a chat-tool relay, without its secret.",
    examples: [exampleRelayKey],
  });

export const apiKeySchema = relayKeySchema
  .extend({
    lastUsedAt: timestamp.nullable().describe("When it was last used, to about five minutes."),
    expiresAt: timestamp.nullable().describe("When it expires; null for never."),
  })
  .meta({ id: "ApiKey", description: "An API key, without the key itself.", examples: [exampleApiKey] });

const newKey = { key: z.string().describe("The key itself. It is returned only once.") };
export const newRelayKeySchema = relayKeySchema.extend(newKey).meta({
  id: "NewRelayKey",
  description: "A relay key that was just made.",
  examples: [{ ...exampleRelayKey, key: `svc_rly_${secretEnd}` }],
});
export const newApiKeySchema = apiKeySchema.extend(newKey).meta({
  id: "NewApiKey",
  description: "An API key that was just made.",
  examples: [{ ...exampleApiKey, lastUsedAt: null, key: `svc_key_${secretEnd}` }],
});

export function toWireRelayKey({ id, name, lastFour, createdAt }: KeyRow): z.infer<typeof relayKeySchema> {
  return { id, name, lastFour, createdAt: formatTime(createdAt) };
}

export function toWireApiKey(key: KeyRow): z.infer<typeof apiKeySchema> {
  return {
    ...toWireRelayKey(key),
    lastUsedAt: formatTimeOrNull(key.lastUsedAt),
    expiresAt: formatTimeOrNull(key.expiresAt),
  };
}
