// The sweep of stale seals. It reseals values of all keys but the first, so that those keys can be
// deleted.
import { getProjectObject, getProviderLoginObject } from "../../durable-objects/address.ts";
import { resealIdentity } from "../account/connect-code-host.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { sealNetworkSecretAgain } from "../network/secrets.ts";
import { replaceSettings } from "../project/queries.ts";
import { sealSettings } from "../project/settings.ts";
import type { LoginName, LoginOwner } from "../provider-login/rules/login.ts";
import { listSealingKeyIds } from "../storage/sealing.ts";
import { sealTriggerSecretAgain } from "../trigger/secrets.ts";
import { sealWebhookAgain } from "../webhook/secrets.ts";
import type { SweepPlace } from "./sweep.ts";

/** Each row takes up to three calls. */
const rowsPerPage = 12;

/**
 * Reseals a page of stale values. Idempotent. A row that cannot be unsealed is logged and does not
 * stop the others.
 */
export async function sweepStaleSeals(env: Env, { after }: SweepPlace): Promise<string | null> {
  const [keyId, ...others] = await listSealingKeyIds(env.SEALING_KEYS);
  // If there is only one key, it has sealed all values.
  const kinds = others.length === 0 ? [] : [projects, logins, identities, networkSecrets, webhooks, triggerSecrets];
  const [kind = 0, row = 0] = after === "" ? [] : after.split(" ").map(Number);
  const last = (await kinds[kind]?.(env, { keyId, after: row, atMost: rowsPerPage })) ?? null;
  if (last !== null) return `${kind} ${last}`;
  return kind + 1 < kinds.length ? `${kind + 1} 0` : null;
}

/** Returns the last row of a page; null if it is the last page. */
type Kind = (env: Env, page: Page) => Promise<number | null>;

const projects: Kind = (env, page) =>
  resealEach("project", staleProjects(env.DB, page), async ({ id, settings }) => {
    await getProjectObject(env, id).resealDraft();
    const sealed = await sealSettings(env.SEALING_KEYS, { id, settings: JSON.parse(settings) });
    await replaceSettings(env.DB, { id, read: settings, ...sealed });
  });

const logins: Kind = (env, page) =>
  resealEach("login", staleLogins(env.DB, page), async ({ owner, provider, id }) => {
    const name = { owner, provider, id };
    const reason = await getProviderLoginObject(env, name).reseal(name);
    if (reason !== null) throw new Error(reason);
  });

const identities: Kind = (env, page) =>
  resealEach("code host identity", staleIdentities(env.DB, page), ({ userId }) => resealIdentity(env, userId));

const networkSecrets: Kind = (env, page) =>
  resealEach("network secret", staleNetworkSecrets(env.DB, page), (secret) => sealNetworkSecretAgain(env, secret));

const webhooks: Kind = (env, page) =>
  resealEach("webhook", staleWebhooks(env.DB, page), (webhook) => sealWebhookAgain(env, webhook));

const triggerSecrets: Kind = (env, page) =>
  resealEach("trigger secret", staleTriggerSecrets(env.DB, page), (secret) => sealTriggerSecretAgain(env, secret));

async function resealEach<Found extends { row: number }>(
  what: string,
  reading: Promise<Found[]>,
  reseal: (found: Found) => Promise<void>,
): Promise<number | null> {
  const found = await reading;
  for (const one of found) {
    await reseal(one).catch((error: unknown) => log.error("seal.not_renewed", { sealed: what, row: one.row, error }));
  }
  return found.length < rowsPerPage ? null : (found.at(-1)?.row ?? null);
}

/**
 * Stale seals: stored values that are sealed with a key other than the current one. Each query
 * returns a page by row id.
 */
export interface Page {
  /** The id of the current key. */
  keyId: string;
  /** The last row of the previous page. */
  after: number;
  atMost: number;
}

interface Row {
  row: number;
}

export interface StaleProject extends Row {
  id: string;
  /** The stored text of the settings. */
  settings: string;
}

/** Projects with values that are sealed with another key. */
async function staleProjects(database: D1Database, page: Page): Promise<StaleProject[]> {
  const { results } = await database
    .prepare(
      `SELECT rowid AS row, id, settings FROM projects
       WHERE rowid IN (SELECT rowid FROM projects WHERE settings_key < ?1
         UNION SELECT rowid FROM projects WHERE settings_key > ?1) AND rowid > ?2
       ORDER BY rowid LIMIT ?3`,
    )
    .bind(page.keyId, page.after, page.atMost)
    .all<StaleProject>();
  return results;
}

export type StaleLogin = Row & LoginName;

/** Logins that are sealed with another key. */
async function staleLogins(database: D1Database, page: Page): Promise<StaleLogin[]> {
  const columns = "id, owner_type AS ownerType, owner_id AS ownerId, provider";
  type Columns = Row & Omit<LoginName, "owner"> & { ownerType: LoginOwner["type"]; ownerId: string };
  const found = await sealedOtherwise<Columns>(database, "provider_logins", columns, page);
  return found.map(({ ownerType, ownerId, ...login }) => ({ ...login, owner: { type: ownerType, id: ownerId } }));
}

export interface StaleNetworkSecret extends Row {
  projectId: string;
  name: string;
  sealed: string;
}

export interface StaleIdentity extends Row {
  userId: string;
}

/** Accounts at the code host whose tokens are sealed with another key. */
async function staleIdentities(database: D1Database, page: Page): Promise<StaleIdentity[]> {
  return await sealedOtherwise(database, "code_host_identities", "user_id AS userId", page);
}

/** Secrets of projects that are sealed with another key. */
async function staleNetworkSecrets(database: D1Database, page: Page): Promise<StaleNetworkSecret[]> {
  return await sealedOtherwise(database, "network_secrets", "project_id AS projectId, name, sealed", page);
}

/**
 * Webhooks whose secret is sealed with another key. The secret before a rotation is only used for
 * some days, so it is not sealed again.
 */
async function staleWebhooks(database: D1Database, page: Page): Promise<(Row & { id: string; sealed: string })[]> {
  return await sealedOtherwise(database, "webhooks", "id, sealed", page);
}

/** Secrets of HTTP triggers that are sealed with another key. */
async function staleTriggerSecrets(
  database: D1Database,
  page: Page,
): Promise<(Row & { triggerId: string; sealed: string })[]> {
  return await sealedOtherwise(database, "trigger_secrets", "trigger_id AS triggerId, sealed", page);
}

/** A sealed text starts with the id of its key and a dot. */
async function sealedOtherwise<Found>(
  database: D1Database,
  table: string,
  columns: string,
  { keyId, after, atMost }: Page,
): Promise<Found[]> {
  const { results } = await database
    .prepare(
      `SELECT rowid AS row, ${columns} FROM ${table}
       WHERE substr(sealed, 1, length(?1)) <> ?1 AND rowid > ?2 ORDER BY rowid LIMIT ?3`,
    )
    .bind(`${keyId}.`, after, atMost)
    .all<Found>();
  return results;
}
