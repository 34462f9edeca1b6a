// The changes of webhooks. Each is written to the database first, and then announced to the
// webhook's object, which sends by it.
import { getWebhookObject } from "../../durable-objects/address.ts";
import type { Delivery } from "../../durable-objects/webhook/rpc.ts";
import type { Env } from "../env.ts";
import { createId } from "../lib/ids.ts";
import { getAddressFacts } from "../network/outside.ts";
import { listWorkspaceProjects } from "../project/queries.ts";
import type { Idempotency } from "../rules/idempotency.ts";
import { webhooksMax } from "../rules/limits.ts";
import { type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { createIdempotently, findCreated } from "../storage/idempotent-create.ts";
import { addWebhookRow, deleteWebhookRow, findWebhookRow, updateWebhookRow, type WebhookRow } from "./queries.ts";
import { checkWebhookUrl } from "./rules/address.ts";
import { createWebhookSecret, sealWebhookSecret, unsealSecrets } from "./secrets.ts";

type WebhookEnv = Pick<Env, "DB" | "WEBHOOK" | "JURISDICTION" | "SEALING_KEYS"> & AddressEnv;
type AddressEnv = Pick<Env, "PUBLIC_URL" | "PREVIEW_DOMAIN" | "SANDBOX_HOST_URL" | "WEBHOOKS_TO_LOOPBACK">;
type Wanted = Pick<WebhookRow, "name" | "url" | "events" | "projects" | "includeText">;

const noWebhook = refuse("NOT_FOUND", "The workspace has no such webhook.");

/** Refuses an address that no webhook may have. */
function checkUrl(env: AddressEnv, url: string): Refusal | null {
  return checkWebhookUrl(url, getAddressFacts(env));
}

/** Refuses projects that the workspace does not have: nothing would ever be sent for them. */
async function checkProjects(
  env: Pick<Env, "DB">,
  workspaceId: string,
  ids: readonly string[],
): Promise<Refusal | null> {
  if (ids.length === 0) return null;
  const known = await listWorkspaceProjects(env.DB, workspaceId);
  const missing = ids.find((wanted) => !known.some(({ id }) => id === wanted));
  return missing === undefined ? null : refuseField("projects", `names no project of this workspace: ${missing}`);
}

interface NewWebhook extends Wanted {
  workspaceId: string;
  createdBy: string | null;
  repeat: Idempotency | null;
}

/**
 * Creates a webhook. The answer has its secret, which only a repeat of the request shows again.
 */
export async function createWebhook(
  env: WebhookEnv,
  { workspaceId, createdBy, repeat, ...wanted }: NewWebhook,
  now: number,
): Promise<{ row: WebhookRow; secret: string } | Refusal> {
  async function find(id: string) {
    const row = await findWebhookRow(env.DB, id);
    if (!row) return null;
    const [secret = ""] = await unsealSecrets(env, row, now);
    return { row, secret };
  }
  async function create(id: string) {
    const secret = createWebhookSecret();
    const row: WebhookRow = {
      ...{ id, workspaceId, ...wanted, sealed: await sealWebhookSecret(env, id, secret) },
      ...{ previousSealed: null, previousUntil: null, status: "active", disabledReason: null },
      ...{ createdBy, createdAt: now, updatedAt: now },
    };
    if (await addWebhookRow(env.DB, row, webhooksMax)) return { row, secret };
    return refuse("BAD_REQUEST", `The workspace has ${webhooksMax} webhooks. Delete one that it does not need.`);
  }
  const refusal = checkUrl(env, wanted.url) ?? (await checkProjects(env, workspaceId, wanted.projects ?? []));
  if (refusal) return (await findCreated(env.DB, { repeat, now }, find)) ?? refusal;
  return await createIdempotently(env.DB, { repeat, now }, { find, create });
}

/** The webhook of a workspace. */
export async function findWebhook(
  env: Pick<Env, "DB">,
  { workspaceId, webhookId }: { workspaceId: string; webhookId: string },
): Promise<WebhookRow | Refusal> {
  const row = await findWebhookRow(env.DB, webhookId);
  return row?.workspaceId === workspaceId ? row : noWebhook;
}

type Changes = { [Field in keyof Wanted]?: Wanted[Field] | undefined } & { enabled?: boolean | undefined };

/** Changes a webhook. An enabled one starts without its earlier failures. */
export async function updateWebhook(
  env: WebhookEnv,
  { id, workspaceId, projects }: WebhookRow,
  { enabled, ...changes }: Changes,
  now: number,
): Promise<WebhookRow | Refusal> {
  // A project of the webhook may be deleted by now.
  const added = (changes.projects ?? []).filter((project) => !projects?.includes(project));
  const refusal =
    (changes.url === undefined ? null : checkUrl(env, changes.url)) ?? (await checkProjects(env, workspaceId, added));
  if (refusal) return refusal;
  const status =
    enabled === undefined
      ? {}
      : enabled
        ? ({ status: "active", disabledReason: null } as const)
        : ({ status: "disabled", disabledReason: "by_hand" } as const);
  const row = await updateWebhookRow(env.DB, id, { ...changes, ...status, updatedAt: now });
  if (!row) return noWebhook;
  await getWebhookObject(env, id).changed(id);
  return row;
}

const hourMs = 60 * 60_000;

/** Gives a webhook a new secret. The old one signs too for a few hours. */
export async function updateWebhookSecret(
  env: WebhookEnv,
  { id, sealed: old }: WebhookRow,
  keepHours: number,
  now: number,
): Promise<{ secret: string; previousUntil: number | null } | Refusal> {
  const secret = createWebhookSecret();
  const previousUntil = keepHours === 0 ? null : now + keepHours * hourMs;
  const sealed = await sealWebhookSecret(env, id, secret);
  const previousSealed = previousUntil === null ? null : old;
  const row = await updateWebhookRow(env.DB, id, { sealed, previousSealed, previousUntil, updatedAt: now });
  if (!row) return noWebhook;
  await getWebhookObject(env, id).changed(id);
  return { secret, previousUntil };
}

/** Deletes a webhook with all that it stored. */
export async function deleteWebhook(env: Pick<WebhookEnv, "DB" | "WEBHOOK" | "JURISDICTION">, id: string) {
  await deleteWebhookRow(env.DB, id);
  await getWebhookObject(env, id).delete();
}

/** Sends a test to a webhook, and waits for its answer. */
export async function sendTestTo(
  env: WebhookEnv,
  { id, workspaceId }: WebhookRow,
  userId: string | null,
  now: number,
): Promise<Delivery | Refusal> {
  const by = userId === null ? null : { userId, source: null };
  const event = { id: createId(now), type: "webhook.test", at: now, workspaceId, projectId: null } as const;
  return await getWebhookObject(env, id).sendTest(id, { ...event, data: { webhookId: id }, by, text: null });
}
