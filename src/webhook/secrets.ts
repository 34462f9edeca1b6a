// The secrets of webhooks, which are sealed in their rows.
import type { Env } from "../env.ts";
import { seal, unseal } from "../storage/sealing.ts";
import { updateSealedWebhook, type WebhookRow } from "./queries.ts";

type Sealing = Pick<Env, "SEALING_KEYS">;

const getIdentity = (webhookId: string) => `webhook:${webhookId}`;

/** Seals a secret for the row of its webhook. */
export function sealWebhookSecret(env: Sealing, webhookId: string, secret: string): Promise<string> {
  return seal(env.SEALING_KEYS, getIdentity(webhookId), secret);
}

/** Returns a new secret: `whsec_` and base64 of 32 random bytes. */
export function createWebhookSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

/** The secrets that sign now, the newest first. */
export async function unsealSecrets(
  env: Sealing,
  { id, sealed, previousSealed, previousUntil }: WebhookRow,
  now: number,
): Promise<string[]> {
  const open = (value: string) => unseal(env.SEALING_KEYS, getIdentity(id), value);
  const isPreviousValid = previousSealed !== null && (previousUntil ?? 0) > now;
  // The key that sealed a previous secret may be gone, and the new secret signs without it.
  const previous = isPreviousValid ? await open(previousSealed).catch(() => null) : null;
  return [await open(sealed), ...(previous === null ? [] : [previous])];
}

/** Seals the secret of a webhook with the current key. */
export async function sealWebhookAgain(
  env: Pick<Env, "DB" | "SEALING_KEYS">,
  { id, sealed }: Pick<WebhookRow, "id" | "sealed">,
): Promise<void> {
  const to = await sealWebhookSecret(env, id, await unseal(env.SEALING_KEYS, getIdentity(id), sealed));
  await updateSealedWebhook(env.DB, { id, from: sealed, to });
}
