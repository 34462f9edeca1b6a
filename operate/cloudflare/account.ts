// The Cloudflare account of a deployment: what it contains, and which parts the token may not read.

import { type Platform, PlatformError } from "./api.ts";
import { type Application, findApplication, type ListedApplication, listUsedImages } from "./application.ts";
import { findBuckets, findObjects, type Located } from "./jurisdiction.ts";
import { findTakenHosts, findTakenStores, type Taken } from "./neighbours.ts";
import type { Settings } from "./settings.ts";
import { findDeployedVersion, listDeploymentIds } from "./version.ts";

export interface AccountFacts {
  account: { id: string; name: string };
  /** The permissions that the token lacks, by their names in the dashboard. */
  lacking: string[];
  zones: Zone[];
  /**
   * Null until it is created. `migrations` has the names of the applied ones, `sealedWith` the ids
   * of the keys that sealed its contents, `parked` the number of parked effects.
   */
  database: { id: string; migrations: string[]; hasPeople: boolean; sealedWith: string[]; parked: number } | null;
  /** True if it exists in the jurisdiction of the settings. */
  hasBucket: boolean;
  /** The database, the buckets of its name and the objects, as far as they exist. */
  located: Located[];
  /** The names of the Worker's secrets; null while there is no Worker. */
  secrets: string[] | null;
  /** The version that is deployed, see `findDeployedVersion`. */
  version: string | null;
  /** The newest deployment of the Worker; null while there is none. Another one has another id. */
  deploymentId: string | null;
  /** What the settings name, and another Worker of the account has. */
  taken: Taken[];
  /** The application of the sandboxes' containers; null while there is none. */
  application: Application | null;
  /** The images that any application of the account runs, such as those of a staging service. */
  imagesInUse: string[];
  /** True if the preview hosts have a DNS record. */
  hasPreviewRecord: boolean;
  /** False if that record bypasses Cloudflare: then no Worker receives its requests. */
  isPreviewRecordProxied: boolean;
}

export interface Zone {
  id: string;
  name: string;
  status: string;
}

/** Finds the account of a token. Throws with what to do if there is not exactly one. */
export async function findAccount(platform: Platform, accountId: string | undefined): Promise<AccountFacts["account"]> {
  if (accountId !== undefined)
    return await platform.get<AccountFacts["account"]>(`/accounts/${accountId}`).catch((error: unknown) => {
      if (!(error instanceof PlatformError)) throw error;
      throw new PlatformError(error.status, `CLOUDFLARE_ACCOUNT_ID is not an account of this token. ${error.message}`);
    });
  const accounts = await platform.get<AccountFacts["account"][]>("/accounts");
  const [account] = accounts;
  if (account && accounts.length === 1) return account;
  const names = accounts.map(({ id, name }) => `${id} (${name})`).join(", ");
  throw new PlatformError(0, `Set CLOUDFLARE_ACCOUNT_ID: the token reaches ${names || "no account"}.`);
}

const zonesAPage = 50;

/** Reads the contents of an account. Changes nothing. */
export async function readAccount(
  platform: Platform,
  account: AccountFacts["account"],
  settings: Settings,
): Promise<AccountFacts> {
  const lacking: string[] = [];
  const of = `/accounts/${account.id}`;
  /**
   * Returns `none` for what does not exist and for what the token may not read. The latter is
   * noted.
   */
  async function permitted<Result>(permission: string, ask: () => Promise<Result>, none: Result): Promise<Result> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.status === 404) return none;
      if (error.status !== 401 && error.status !== 403) throw error;
      if (!lacking.includes(permission)) lacking.push(permission);
      return none;
    }
  }

  const list = <Item>(permission: string, path: string) => permitted(permission, () => platform.list<Item>(path), []);

  const zones = await list<Zone>("Zone: Zone: Read", `/zones?account.id=${account.id}&per_page=${zonesAPage}`);
  const named = `${of}/d1/database?name=${encodeURIComponent(settings.databaseName)}`;
  const databases = await list<{ uuid: string; name: string; jurisdiction?: string | null }>(
    "Account: D1: Edit",
    named,
  );
  const database = databases.find(({ name }) => name === settings.databaseName);
  const buckets = await permitted(
    "Account: Workers R2 Storage: Edit",
    () => findBuckets(platform, account.id, settings.bucketName),
    [],
  );
  const objects = await permitted(
    "Account: Workers Scripts: Edit",
    () => findObjects(platform, account.id, settings),
    null,
  );
  const bucket = buckets.find(({ jurisdiction }) => jurisdiction === settings.jurisdiction);
  const secrets = await permitted(
    "Account: Workers Scripts: Edit",
    () => findSecretNames(platform, account.id, settings.workerName),
    null,
  );
  const version = await permitted(
    "Account: Workers Scripts: Edit",
    () => findDeployedVersion(platform, account.id, settings.workerName),
    null,
  );
  const [deploymentId = null] = await permitted(
    "Account: Workers Scripts: Edit",
    () => listDeploymentIds(platform, account.id, settings.workerName),
    [],
  );
  const applications = await permitted("Account: Containers: Edit", () => listApplications(platform, account.id), []);
  const previewZone = zones.find(({ name }) => name === settings.previewZone);
  const records = previewZone
    ? await list<{ proxied?: boolean }>(
        "Zone: DNS: Edit",
        `/zones/${previewZone.id}/dns_records?name=${encodeURIComponent(`*.${settings.previewDomain}`)}`,
      )
    : [];
  const takenHosts = await permitted(
    "Zone: Workers Routes: Edit",
    () => findTakenHosts(platform, account.id, settings, previewZone?.id ?? null),
    [],
  );
  // A Worker that is there has them already.
  const isFirst = secrets === null && (database !== undefined || bucket !== undefined);
  const takenStores = isFirst
    ? await permitted(
        "Account: Workers Scripts: Edit",
        () => findTakenStores(platform, account.id, settings, database?.uuid ?? null),
        [],
      )
    : [];
  return {
    account,
    lacking,
    zones,
    database: database ? await readDatabase(platform, of, database.uuid) : null,
    hasBucket: bucket !== undefined,
    located: [
      ...(database ? [{ what: `the database ${database.name}`, jurisdiction: database.jurisdiction ?? "" }] : []),
      ...(bucket ? [bucket] : buckets),
      ...(objects ? [objects] : []),
    ],
    secrets,
    version,
    deploymentId,
    taken: [...takenHosts, ...takenStores],
    application: findApplication(applications, settings.applicationName),
    imagesInUse: listUsedImages(applications),
    hasPreviewRecord: records.length > 0,
    isPreviewRecordProxied: records.every(({ proxied }) => proxied !== false),
  };
}

/** The container applications of the account. */
export const listApplications = (platform: Platform, accountId: string): Promise<ListedApplication[]> =>
  platform.list(`/accounts/${accountId}/containers/applications`);

/** The names of the Worker's secrets; null while there is no Worker. */
export async function findSecretNames(
  platform: Platform,
  accountId: string,
  workerName: string,
): Promise<string[] | null> {
  const path = `/accounts/${accountId}/workers/scripts/${workerName}/secrets`;
  const secrets = await platform.list<{ name: string }>(path).catch((error: unknown) => {
    if (error instanceof PlatformError && error.status === 404) return null;
    throw error;
  });
  return secrets?.map(({ name }) => name) ?? null;
}

/** The tables with a column `sealed`. An earlier version of the database may lack some. */
const sealedTables = ["provider_logins", "code_host_identities", "network_secrets", "webhooks", "trigger_secrets"];

/** The query for the key ids of everything that is sealed in these tables and in projects. */
const formatKeyIdsInUse = (tables: readonly string[]) =>
  [
    "SELECT settings_key AS id FROM projects WHERE settings_key IS NOT NULL",
    ...tables.map((table) => `SELECT substr(sealed, 1, instr(sealed, '.') - 1) FROM ${table}`),
  ].join(" UNION ");

async function readDatabase(platform: Platform, of: string, id: string): Promise<AccountFacts["database"]> {
  const query = async <Row>(sql: string): Promise<Row[]> => {
    const [answer] = await platform.read<{ results: Row[] }[]>(`${of}/d1/database/${id}/query`, { sql });
    return answer?.results ?? [];
  };
  const hasRow = async (sql: string) => (await query(sql)).length > 0;
  const hasTable = (name: string) => hasRow(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '${name}'`);
  const isMigrated = await hasTable("d1_migrations");
  const applied = isMigrated ? await query<{ name: string }>("SELECT name FROM d1_migrations ORDER BY id") : [];
  const hasPeople = (await hasTable("users")) && (await hasRow("SELECT 1 FROM users LIMIT 1"));
  const names = sealedTables.map((name) => `'${name}'`).join(", ");
  const sealing = await query<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name IN (${names})`,
  );
  const used = hasPeople ? await query<{ id: string }>(formatKeyIdsInUse(sealing.map(({ name }) => name))) : [];
  const canPark = await hasTable("parked_effects");
  const [counted] = canPark ? await query<{ parked: number }>("SELECT count(*) AS parked FROM parked_effects") : [];
  const migrations = applied.map(({ name }) => name);
  return { id, migrations, hasPeople, sealedWith: used.map((row) => row.id), parked: counted?.parked ?? 0 };
}
