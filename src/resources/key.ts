// Keys on the wire. The key itself is told once, to whoever made it.
import * as z from "zod";
import { keyNameCharactersMax } from "../rules/limits.ts";
import type { KeyRow } from "../storage/queries/keys.ts";
import { time, timeOrNull, timestamp, uuid } from "./wire-values.ts";

export const keyName = z.string().trim().min(1).max(keyNameCharactersMax);

export const relayKeySchema = z
  .object({ id: uuid, name: z.string(), lastFour: z.string(), createdAt: timestamp })
  .meta({ description: "The key of a chat-tool relay, without the key itself." });

export const apiKeySchema = relayKeySchema
  .extend({ lastUsedAt: timestamp.nullable(), expiresAt: timestamp.nullable() })
  .meta({ description: "An API key, without the key itself. lastUsedAt is accurate to about five minutes." });

const told = { key: z.string().meta({ description: "The key itself. It is told this once." }) };
export const newRelayKeySchema = relayKeySchema.extend(told);
export const newApiKeySchema = apiKeySchema.extend(told);

export function relayKeyOnWire({ id, name, lastFour, createdAt }: KeyRow): z.infer<typeof relayKeySchema> {
  return { id, name, lastFour, createdAt: time(createdAt) };
}

export function apiKeyOnWire(key: KeyRow): z.infer<typeof apiKeySchema> {
  return {
    ...relayKeyOnWire(key),
    lastUsedAt: timeOrNull(key.lastUsedAt),
    expiresAt: timeOrNull(key.expiresAt),
  };
}
