// A stand-in of Cloudflare's API on loopback, as far as wrangler and an operator's commands call
// it. It stores what they create, runs the SQL of its databases, and records every call.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { type Application, changeApplication, type Rollouts } from "./applications-stand-in.ts";

export const accountId = "0123456789abcdef0123456789abcdef";

const versionId = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
const containerClass = { type: "durable_object_namespace", name: "CONTAINER", class_name: "SandboxContainer" };

/** The first Worker of every test. */
const workerName = "switchyard";

/** A Worker, as far as wrangler reads it. */
export interface Worker {
  secrets: Record<string, string>;
  /** The newest migration of its classes. */
  tag: string | null;
  /** Its configured image of its sandboxes. */
  program: string | undefined;
  /** The namespaces of its rate limits. */
  counters: string[];
  /** The text that wrangler stored with its version; a change of one secret stores none. */
  message: string | undefined;
  /** The jurisdiction that its objects have. */
  jurisdiction: string | undefined;
  /** That of its bucket's binding. */
  bucketJurisdiction: string | undefined;
  /** The OpenAPI document that its script names. */
  documentKey: string | undefined;
  /** How often it was deployed. */
  deployments: number;
  /** The names of its bucket and its database, and the hosts of its domains and routes. */
  bucket: string | undefined;
  databaseId: string | undefined;
  hosts: string[];
}

/** The contents of an account. */
export interface Account extends Rollouts {
  databases: { uuid: string; name: string; data: DatabaseSync; jurisdiction?: string | null }[];
  /** Their names, of another jurisdiction than none after it, such as `eu/switchyard`. */
  buckets: string[];
  /** The objects of the buckets, by bucket and key. */
  objects: Map<string, string>;
  records: { zoneId: string; name: string }[];
  workers: Map<string, Worker>;
  /** The images of the registry, as `repository:tag`. */
  images: string[];
  /** The secrets of the first Worker, by name; null while there is none. */
  secrets: Record<string, string> | null;
  /** The image of the first Worker's containers. */
  readonly image: string | null;
  /** Paths that return 403. */
  denied: RegExp | null;
  /** Paths whose changes fail once. */
  fails: RegExp | null;
  /** How a call fails, if it does: a status, or a connection that ends before or after it. */
  fault: ((isChange: boolean) => number | "before" | "after" | null) | null;
  /** How many items a page of a list has. */
  pageItems: number;
}

export interface StandIn {
  url: string;
  account: Account;
  /** The requested changes, as `METHOD path`, without those of an upload's parts. */
  changes: string[];
  /** The zones of the account. */
  zones: { id: string; name: string; status: string }[];
  /**
   * The calls of the stand-ins of wrangler and Docker, which of their commands fails, and whether
   * Docker is installed.
   */
  tools: string[];
  failing: string | null;
  hasDocker: boolean;
  /** People use the database; their credentials are sealed with the keys of these ids. */
  use(...sealedWith: string[]): void;
  /** The same for one value in one table. */
  useIn(table: string, sealedWith: string): void;
  /** The database has only this migration. */
  migrate(name: string): void;
  /** Every request that is not known here. */
  unknown: string[];
  close(): Promise<void>;
}

/** Starts the stand-in of an empty account. */
export async function startStandIn(): Promise<StandIn> {
  const account: Account = {
    ...{
      databases: [],
      buckets: [],
      objects: new Map(),
      records: [],
      workers: new Map(),
      applications: [],
      images: [],
    },
    ...{ denied: null, fails: null, fault: null, pageItems: 50, rollsOutSlowly: false },
    get secrets() {
      return account.workers.get(workerName)?.secrets ?? null;
    },
    set secrets(secrets) {
      if (secrets === null) account.workers.delete(workerName);
      else getWorker(account, workerName).secrets = secrets;
    },
    get image() {
      return account.applications.find(({ name }) => name === `${workerName}-sandboxes`)?.configuration.image ?? null;
    },
  };
  const zones = [
    { id: "zone-api", name: "trains.test", status: "active" },
    { id: "zone-previews", name: "sidings.test", status: "active" },
    { id: "zone-staging", name: "staging-sidings.test", status: "active" },
  ];
  const changes: string[] = [];
  const unknown: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const url = new URL(request.url ?? "/", "http://platform");
    const asked = `${request.method} ${url.pathname.replace(accountId, "ACCOUNT")}`;
    const answer = (status: number, result: unknown) => {
      const isOk = status < 300;
      const errors = isOk ? [] : [{ code: status === 404 ? 10_007 : 10_000, message: String(result) }];
      response.writeHead(status, { "content-type": "application/json" });
      const whole = Array.isArray(result) ? result : [result];
      const [page, per_page] = [Number(url.searchParams.get("page") ?? 1), account.pageItems];
      const items = isOk && Array.isArray(result) ? whole.slice((page - 1) * per_page, page * per_page) : result;
      const result_info = { page, per_page, count: per_page, total_count: whole.length };
      response.end(JSON.stringify({ success: isOk, result: isOk ? items : null, errors, messages: [], result_info }));
    };
    const isChange = request.method !== "GET" && !/\/query$/.test(url.pathname);
    if (isChange) changes.push(asked);
    const fault = account.fault?.(isChange) ?? null;
    if (fault === "before") return void response.destroy();
    if (typeof fault === "number") return answer(fault, "the platform fails");
    if (account.denied?.test(url.pathname)) return answer(403, "Authentication error");
    if (isChange && account.fails?.test(url.pathname)) {
      account.fails = null;
      return answer(500, "the platform fails");
    }
    const jurisdiction = request.headers["cf-r2-jurisdiction"];
    const found = answerCall({ account, zones }, asked, url, { body, jurisdiction: String(jurisdiction ?? "") });
    if (fault === "after") return void response.destroy();
    if (found === undefined) {
      unknown.push(`${asked}${url.search}`);
      return answer(404, "not here");
    }
    if (/^GET .*\/objects\//.test(asked) && typeof found === "string") return void response.end(found);
    return found === null ? answer(404, "not found") : answer(200, found);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/client/v4`,
    ...{ account, changes, unknown, zones, tools: [], failing: null, hasDocker: true },
    use(...sealedWith) {
      const { data } = account.databases[0] ?? makeDatabase(account, "switchyard");
      data.exec(tablesInUse);
      for (const id of sealedWith) data.exec(`INSERT INTO provider_logins VALUES ('${id}.iv.text')`);
    },
    useIn(table, id) {
      const { data } = account.databases[0] ?? makeDatabase(account, "switchyard");
      data.exec(tablesInUse);
      data.exec(`CREATE TABLE IF NOT EXISTS ${table} (sealed); INSERT INTO ${table} VALUES ('${id}.iv.text')`);
    },
    migrate(name) {
      const { data } = account.databases[0] ?? makeDatabase(account, "switchyard");
      data.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT)");
      data.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(name);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const tablesInUse = `
  CREATE TABLE IF NOT EXISTS users (id); INSERT INTO users VALUES ('usr_1');
  CREATE TABLE IF NOT EXISTS provider_logins (sealed); DELETE FROM provider_logins;
  CREATE TABLE IF NOT EXISTS code_host_identities (sealed);
  CREATE TABLE IF NOT EXISTS projects (settings_key)`;

/** Undefined for what the stand-in does not know, null for what does not exist. */
function answerCall(
  { account, zones }: Pick<StandIn, "account" | "zones">,
  asked: string,
  url: URL,
  { body, jurisdiction }: { body: string; jurisdiction: string },
): unknown {
  const path = asked.replace(/ \/client\/v4/, " ");
  const of = " /accounts/ACCOUNT";
  const name = /\/workers\/(?:scripts|services|workers)\/([\w-]+)/.exec(path)?.[1] ?? "";
  const script = `${of}/workers/scripts/${name}`;
  const worker = account.workers.get(name) ?? null;
  const container = { ...containerClass, namespace_id: `namespace-${name}` };
  switch (path) {
    case "GET /accounts":
      return [{ id: accountId, name: "Trains" }];
    case `GET${of}`:
      return { id: accountId, name: "Trains" };
    case "GET /zones":
      return zones.filter(({ name }) => [null, name].includes(url.searchParams.get("name")));
    case `GET${of}/d1/database`:
      return account.databases.map(({ uuid, name, jurisdiction: within = null }) => ({
        uuid,
        name,
        jurisdiction: within,
      }));
    case `POST${of}/d1/database`: {
      const wanted = JSON.parse(body);
      const made = Object.assign(makeDatabase(account, wanted.name), { jurisdiction: wanted.jurisdiction ?? null });
      return { uuid: made.uuid, name: made.name };
    }
    case `POST${of}/r2/buckets`:
      account.buckets.push([jurisdiction && `${jurisdiction}/`, JSON.parse(body).name].join(""));
      return {};
    case `GET${script}/secrets`:
      return worker && Object.keys(worker.secrets).map((secret) => ({ name: secret, type: "secret_text" }));
    case `GET${of}/workers/services/${name}`:
      return (
        worker && { default_environment: { script: { last_deployed_from: "wrangler", migration_tag: worker.tag } } }
      );
    case `GET${script}/deployments`:
      return (
        worker && {
          deployments: Array.from({ length: worker.deployments }, (_, before) => ({
            ...{ id: `d${worker.deployments - before}`, source: "wrangler" },
            versions: [{ version_id: versionId, percentage: 100 }],
          })),
        }
      );
    case `GET${of}/workers/scripts`:
      return [...account.workers.keys()].map((id) => ({ id }));
    case `GET${of}/workers/domains`: {
      const hostname = url.searchParams.get("hostname") ?? "";
      return listHosts(account).flatMap(({ host, service }) => (host === hostname ? [{ hostname, service }] : []));
    }
    case `GET${script}/versions`:
      return { items: [{ id: versionId, number: 1, annotations: { "workers/message": worker?.message } }] };
    case `GET${script}/settings`:
      return worker && { bindings: listBindings(worker), migration_tag: worker.tag };
    case `GET${script}/versions/${versionId}`:
      return { id: versionId, resources: { script: {}, script_runtime: {}, bindings: [container] } };
    case `PATCH${script}/script-settings`:
      return {};
    case `GET${of}/workers/durable_objects/namespaces`:
      return [...account.workers.keys()].map((known) => ({
        ...{ id: `namespace-${known}`, class: containerClass.class_name, script: known, name: "c" },
      }));
    case `POST${of}/containers/applications`: {
      const made: Application = { ...JSON.parse(body), id: `app-${account.applications.length + 1}` };
      account.applications.push(made);
      return made;
    }
    case `GET${of}/workers/workers/${name}`:
      return { id: "w", name, subdomain: { enabled: false, previews_enabled: false } };
    case `PUT${script}/routes`:
    case `PUT${script}/schedules`:
    case `PUT${script}/domains/records`:
      return [];
    case `POST${script}/domains/changeset`:
      return { added: [], removed: [], updated: [], conflicting: [] };
    case `GET${script}/subdomain`:
    case `POST${script}/subdomain`:
      return { enabled: false, previews_enabled: false };
    case `PUT${script}`: {
      const metadata = JSON.parse(/name="metadata"[^{]*({.*})\r\n/.exec(body)?.[1] ?? "{}");
      const bindings: UploadedBinding[] = metadata.bindings;
      const set = bindings.filter(({ type }) => type === "secret_text").map((binding) => [binding.name, binding.text]);
      const uploaded = getWorker(account, name);
      uploaded.secrets = { ...uploaded.secrets, ...Object.fromEntries(set) };
      uploaded.program = bindings.find((binding) => binding.name === "SANDBOX_PROGRAM")?.text;
      uploaded.jurisdiction = bindings.find((binding) => binding.name === "JURISDICTION")?.text;
      uploaded.bucketJurisdiction = bindings.find(({ type }) => type === "r2_bucket")?.jurisdiction;
      uploaded.tag = metadata.migrations?.new_tag ?? uploaded.tag;
      uploaded.documentKey = /openapi\/\w+\.json/.exec(body)?.[0];
      uploaded.deployments++;
      uploaded.bucket = bindings.find(({ type }) => type === "r2_bucket")?.bucket_name;
      uploaded.databaseId = bindings.find(({ type }) => type === "d1")?.id;
      uploaded.message = metadata.annotations?.["workers/message"];
      return {
        id: name,
        etag: "e",
        pipeline_hash: "p",
        deployment_id: versionId.replaceAll("-", ""),
        startup_time_ms: 12,
        entry_point: "worker.js",
      };
    }
    case `GET${of}/containers/me`:
      return {
        external_account_id: accountId,
        limits: { disk_mb_per_deployment: 20_000, memory_mib_per_deployment: 12_288, vcpu_per_deployment: 4 },
      };
    case `POST${of}/containers/registries/registry.cloudflare.com/credentials`:
      return {
        account_id: accountId,
        registry_host: "registry.cloudflare.com",
        username: "v1",
        password: "registry-password",
      };
    case `GET${of}/containers/applications`:
      return account.applications;
    case `DELETE${script}/secrets/SIGNING_KEY_PREVIOUS`:
      delete worker?.secrets.SIGNING_KEY_PREVIOUS;
      return {};
  }
  const zone = /^GET \/zones\/([^/]+)\/workers\/routes$/.exec(path)?.[1];
  if (zone)
    return listHosts(account).flatMap(({ host, service }) =>
      host.startsWith("*") ? [{ id: host, pattern: host, script: service }] : [],
    );
  const [, method, zoneId] = /^(GET|POST) \/zones\/([^/]+)\/dns_records$/.exec(path) ?? [];
  if (zoneId && method === "POST") account.records.push({ zoneId, name: JSON.parse(body).name });
  if (zoneId) return account.records.filter((record) => record.name === url.searchParams.get("name"));
  const bucket = new RegExp(`^GET${of}/r2/buckets/([^/]+)$`).exec(path)?.[1];
  if (bucket) return account.buckets.includes((jurisdiction && `${jurisdiction}/`) + bucket) ? { name: bucket } : null;
  const [, stored, key] = new RegExp(`^PUT${of}/r2/buckets/([^/]+)/objects/(.+)$`).exec(path) ?? [];
  if (stored && key) {
    account.objects.set(`${jurisdiction && `${jurisdiction}/`}${stored}/${decodeURIComponent(key)}`, body);
    return {};
  }
  const [, id, rollouts] = new RegExp(`^(?:PATCH|POST)${of}/containers/applications/([^/]+)(.*)$`).exec(path) ?? [];
  const application = account.applications.find((known) => known.id === id);
  if (id) return application ? changeApplication(account, application, rollouts ?? "", JSON.parse(body)) : null;
  const [, read, readKey] = new RegExp(`^GET${of}/r2/buckets/([^/]+)/objects/(.+)$`).exec(path) ?? [];
  if (read && readKey)
    return account.objects.get(`${jurisdiction && `${jurisdiction}/`}${read}/${decodeURIComponent(readKey)}`) ?? null;
  const query = new RegExp(`^POST${of}/d1/database/([^/]+)/query$`).exec(path);
  const database = account.databases.find(({ uuid }) => uuid === query?.[1]);
  if (query) return database ? run(database.data, JSON.parse(body)) : null;
  return undefined;
}

interface UploadedBinding {
  type: string;
  name: string;
  text: string;
  jurisdiction?: string;
  bucket_name?: string;
  id?: string;
}

const listBindings = ({ jurisdiction, bucketJurisdiction, bucket, databaseId }: Worker) => [
  ...(jurisdiction === undefined ? [] : [{ type: "plain_text", name: "JURISDICTION", text: jurisdiction }]),
  { type: "r2_bucket", name: "STORE", bucket_name: bucket, jurisdiction: bucketJurisdiction },
  { type: "d1", name: "DB", id: databaseId },
];

const listHosts = (account: Account) =>
  [...account.workers].flatMap(([service, { hosts }]) => hosts.map((host) => ({ host, service })));

/** The Worker of a name; made where there is none. */
export function getWorker(account: Account, name: string): Worker {
  const made: Worker = account.workers.get(name) ?? {
    ...{
      secrets: {},
      tag: null,
      program: undefined,
      counters: [],
      message: undefined,
      jurisdiction: undefined,
      bucketJurisdiction: undefined,
      documentKey: undefined,
      deployments: 0,
      bucket: undefined,
      databaseId: undefined,
      hosts: [],
    },
  };
  account.workers.set(name, made);
  return made;
}

function makeDatabase(account: Account, name: string): Account["databases"][number] {
  const made = {
    uuid: `${String(account.databases.length + 1).repeat(8)}-2222-4333-8444-555555555555`,
    ...{ name, data: new DatabaseSync(":memory:") },
  };
  account.databases.push(made);
  return made;
}

/** Runs SQL as D1 does: several statements in one call, without bound values. */
function run(data: DatabaseSync, { sql, params = [] }: { sql: string; params?: string[] }): unknown[] {
  const meta = { duration: 1, changes: 0, rows_read: 0, rows_written: 0 };
  if (!/^\s*(SELECT|PRAGMA)/i.test(sql) && params.length === 0) {
    data.exec(sql);
    return [{ success: true, results: [], meta }];
  }
  return [{ success: true, results: data.prepare(sql).all(...params), meta }];
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("latin1");
}
