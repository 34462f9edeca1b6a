// The endpoint of a webhook: its row in D1, and what is the same for all its deliveries.
import type { Env } from "../../src/env.ts";
import { getOutsideFetch } from "../../src/network/outside.ts";
import { findWebhookRow, type WebhookRow } from "../../src/webhook/queries.ts";
import { unsealSecrets } from "../../src/webhook/secrets.ts";
import { toSigningKey } from "../../src/webhook/signature.ts";
import { isWorkspaceSuspended } from "../../src/workspace/queries/workspaces.ts";

/** Where deliveries go, and how. */
export interface Receiver {
  url: string;
  /** They sign, the newest first. */
  keys: readonly CryptoKey[];
  fetch: typeof fetch;
}

export interface Endpoint {
  row: WebhookRow;
  receiver: Receiver;
  /** True while the webhook's workspace is suspended. */
  isSuspended: boolean;
}

/**
 * Reads the endpoint of a webhook; null once the webhook is deleted. Throws if the secret cannot be
 * unsealed.
 */
export async function readEndpoint(env: Env, webhookId: string): Promise<Endpoint | null> {
  const { DB } = env;
  const row = await findWebhookRow(DB, webhookId);
  if (row === null) return null;
  const secrets = await unsealSecrets(env, row, Date.now());
  const keys = await Promise.all(secrets.map(toSigningKey));
  const receiver = { url: row.url, keys, fetch: getOutsideFetch(env, row.url) };
  return { row, receiver, isSuspended: await isWorkspaceSuspended(DB, row.workspaceId) };
}
