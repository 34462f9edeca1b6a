// The settings of the deployment in wrangler.toml: what an operator's commands read of them, and
// the ids that they write there.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { Stop } from "../lib/exit.ts";
import { applicationName, type ContainerSettings, readContainerSettings } from "./application.ts";

type Config = ReturnType<typeof unstable_readConfig>;

export const environment = "production";

export interface Settings {
  workerName: string;
  /** The host of PUBLIC_URL. */
  publicHost: string;
  previewDomain: string;
  /** The zone of the preview route. */
  previewZone: string;
  /** The example hosts that nobody has replaced. */
  placeholders: string[];
  /** The hosts that the Worker serves as custom domains. */
  customDomains: string[];
  databaseName: string;
  /** Null until the database is created. */
  databaseId: string | null;
  bucketName: string;
  /** Where everything is: `eu`, `us`, or empty for anywhere. */
  jurisdiction: string;
  /** Other jurisdictions that the bucket or the containers have in wrangler.toml. */
  otherJurisdictions: string[];
  /** For how many seconds an object may keep the version before; 0 for an immediate update. */
  codeUpdateSeconds: number;
  /** The name of the containers' application. */
  applicationName: string;
  containers: ContainerSettings;
  /** Who may sign up. */
  signUp: string;
  /** The S3 endpoint of the bucket; null until it contains the account. */
  s3Endpoint: string | null;
}

const noDatabase = "00000000-0000-0000-0000-000000000000";
const noAccount = "00000000000000000000000000000000";

/** The name of the database's first migration in a checkout. */
export function readFirstMigration(root: string): string {
  const names = readdirSync(join(root, "migrations/d1")).filter((name) => name.endsWith(".sql"));
  return names.sort()[0] ?? "";
}

/** Reads the settings of the deployment. Throws `Stop` if wrangler.toml lacks one. */
export function readSettings(root: string): Settings {
  const config = unstable_readConfig({ config: join(root, "wrangler.toml"), env: environment });
  const vars = config.vars as Record<string, string>;
  const routes = (config.routes ?? []) as { pattern: string; zone_name?: string; custom_domain?: boolean }[];
  const zone = routes.find(({ zone_name }) => zone_name !== undefined)?.zone_name;
  const [database] = config.d1_databases;
  const [bucket] = config.r2_buckets;
  const container = config.containers?.[0];
  const jurisdiction = vars.JURISDICTION ?? "";
  if (!config.name || !zone || !database?.database_name || !bucket?.bucket_name || !vars.PUBLIC_URL)
    throw new Stop("wrangler.toml lacks the name, a route with a zone, the database, the bucket or PUBLIC_URL.");
  if (!URL.canParse(vars.PUBLIC_URL))
    throw new Stop(
      `PUBLIC_URL in wrangler.toml is not an address: ${vars.PUBLIC_URL}. Write it with https:// in front.`,
    );
  return {
    workerName: config.name,
    publicHost: new URL(vars.PUBLIC_URL).hostname,
    previewDomain: vars.PREVIEW_DOMAIN ?? "",
    previewZone: zone,
    placeholders: [...new Set(JSON.stringify([routes, vars]).match(/\w[\w.-]*\.example\b/g))],
    customDomains: routes.filter(({ custom_domain }) => custom_domain).map(({ pattern }) => pattern),
    databaseName: database.database_name,
    databaseId: database.database_id === noDatabase ? null : (database.database_id ?? null),
    bucketName: bucket.bucket_name,
    applicationName: applicationName(config.name),
    jurisdiction,
    otherJurisdictions: [bucket.jurisdiction, container?.constraints && (container.constraints.jurisdiction ?? "none")]
      .filter((other) => other !== undefined)
      .filter((other) => other !== jurisdiction),
    codeUpdateSeconds: readCodeUpdateSeconds(config),
    containers: readContainerSettings(config, jurisdiction),
    signUp: vars.SIGN_UP ?? "*",
    s3Endpoint: vars.S3_ENDPOINT?.includes(noAccount) ? null : (vars.S3_ENDPOINT ?? null),
  };
}

/** The platform's own default, which wrangler sends. */
const defaultUpdateSeconds = 300;

function readCodeUpdateSeconds({ durable_objects: { code_update_strategy: strategy } }: Config): number {
  if (strategy?.mode === "immediate") return 0;
  return strategy?.max_delay ?? defaultUpdateSeconds;
}

/** The code host's address, and what sessions may push there. */
export interface CodeHostSettings {
  gitUrl: string;
  apiUrl: string;
  withWorkflows: boolean;
}

/** Reads the variables of the deployment's Worker. */
export function readVariables(root: string): Record<string, string> {
  return unstable_readConfig({ config: join(root, "wrangler.toml"), env: environment }).vars as Record<string, string>;
}

/** Reads the code host's settings of the deployment. */
export function readCodeHost(root: string): CodeHostSettings {
  const { CODE_HOST_GIT_URL, CODE_HOST_API_URL, CODE_HOST_WORKFLOWS } = readVariables(root);
  if (!CODE_HOST_GIT_URL || !CODE_HOST_API_URL)
    throw new Stop("wrangler.toml lacks CODE_HOST_GIT_URL or CODE_HOST_API_URL.");
  return { gitUrl: CODE_HOST_GIT_URL, apiUrl: CODE_HOST_API_URL, withWorkflows: CODE_HOST_WORKFLOWS === "on" };
}

/**
 * Writes the ids of the database and the account where wrangler.toml has none. Existing ids stay.
 */
export function writeIds(root: string, { databaseId, accountId }: { databaseId: string; accountId: string }): void {
  const { jurisdiction } = readSettings(root);
  const s3Host = `${accountId}${jurisdiction && `.${jurisdiction}`}.r2.`;
  const file = join(root, "wrangler.toml");
  const [local, ...deployed] = readFileSync(file, "utf8").split("[env.production]");
  const filled = deployed.map((text) =>
    text.replaceAll(noDatabase, databaseId).replaceAll(`${noAccount}.r2.`, s3Host).replaceAll(noAccount, accountId),
  );
  writeFileSync(file, [local, ...filled].join("[env.production]"));
}

/**
 * Writes a copy of wrangler.toml for one deploy, and returns its name. Its containers and its
 * Worker use an image of the registry. What an account has once gets a name of this Worker: the
 * application, and the counters of rate limits. Bucket and containers get the jurisdiction.
 */
export function writeDeployedSettings(root: string, image: string): string {
  const { workerName, jurisdiction } = readSettings(root);
  const { r2_buckets, containers } = unstable_readConfig({ config: join(root, "wrangler.toml"), env: environment });
  const place = `jurisdiction = "${jurisdiction}"`;
  const ofContainers = jurisdiction && !containers?.[0]?.constraints ? `\nconstraints = { ${place} }` : "";
  const ofBucket = jurisdiction && !r2_buckets[0]?.jurisdiction ? `\n${place}` : "";
  const text = readFileSync(join(root, "wrangler.toml"), "utf8");
  const name = ".wrangler-deploy.toml";
  const deployed = text
    .replace(
      /^image = "sandbox-program\/Dockerfile"$/m,
      `name = "${applicationName(workerName)}"\nimage = "${image}"${ofContainers}`,
    )
    .replace("[[env.production.r2_buckets]]", `[[env.production.r2_buckets]]${ofBucket}`)
    .replace(/^image_build_context = .*\n/m, "")
    .replace(
      /^(\[\[env\.production\.ratelimits\]\]\nname = "(\w+)"\nnamespace_id = ).*$/gm,
      (_, start: string, limit: string) => `${start}"${counterId(workerName, limit)}"`,
    )
    .replaceAll('SANDBOX_PROGRAM = "unbuilt"', `SANDBOX_PROGRAM = "${image.split(":").at(-1)}"`);
  if (!deployed.includes(image)) throw new Stop("wrangler.toml names no image of sandbox-program/Dockerfile.");
  writeFileSync(join(root, name), deployed);
  return name;
}

/**
 * Derives the namespace of a rate limit. The platform counts by it in the whole account, so that
 * two Workers with the same one would share their counters.
 */
function counterId(workerName: string, limit: string): number {
  const drawn = createHash("sha256").update(`${workerName}\0${limit}`).digest().readUInt32BE();
  return 1 + (drawn >>> 1);
}
