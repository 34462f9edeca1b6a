// The settings of `npm start`, from the environment.
import { resolve } from "node:path";
import { secretNames } from "../operate/cloudflare/secrets.ts";
import { type EngineSettings, readEngineSettings } from "../practice/container-engine/engine.ts";
import type { WorldOptions } from "../practice/local-service.ts";
import type { GithubSettings } from "../practice/own-repository/hosted.ts";
import type { RealProviders } from "../practice/real-providers.ts";
import { type ProviderId, providerIds } from "../src/model/rules/provider.ts";
import { idleBeforePauseMs } from "../src/rules/limits.ts";
import { type PlanName, planNames } from "../src/workspace/rules/billing-plan.ts";

export interface StartSettings extends Required<Pick<WorldOptions, "port" | "stateDir" | "rateLimits">> {
  github: GithubSettings;
  real: RealProviders;
  /** Null leaves the plan unchanged. */
  plan: PlanName | null;
  /** Null for the default. */
  idleMinutes: number | null;
  /** The parent domain of the preview hosts; null for the default. */
  previewDomain: string | null;
  engine: EngineSettings;
  /** The first start deploys the demo project. */
  deploysDemo: boolean;
  /** Webhooks may lead to loopback addresses. */
  webhooksToLoopback: boolean;
}

const keyName = (id: ProviderId) => `${id.toUpperCase()}_API_KEY`;
const addressName = (id: ProviderId) => `${id.toUpperCase()}_BASE_URL`;
const credentials = ["GITHUB_TOKEN", ...providerIds.map(keyName)];
/** The secrets of a public service, and the paths of files with them. */
const secrets = secretNames.flatMap((name) => [name, `${name}_FILE`]);

/** Every variable that `npm start` reads. */
export const knownSettings = [
  ...["PORT", "STATE_DIR", "RATE_LIMITS", "PLAN", "IDLE_MINUTES", "DEMO_DEPLOY", "PREVIEW_DOMAIN", "SIGN_UP"],
  ...["WEBHOOKS_TO_LOOPBACK", "GITHUB_API_URL", "GITHUB_SERVER_URL"],
  ...["DOCKER_HOST", "WRANGLER_DOCKER_BIN"],
  ...[...credentials, ...providerIds.map(addressName)],
];

/** Previews and clients rely on the default time, so a setting can only be longer. */
const idleMinutesMin = idleBeforePauseMs / 60_000;
const rateLimits = ["on", "visitors", "off"] as const;

/** Reads the settings. Returns a one-line message if one is invalid. */
export function readStartSettings(env: Record<string, string | undefined>): StartSettings | string {
  const { PORT = "8787", STATE_DIR = ".switchyard", RATE_LIMITS = "visitors" } = env;
  const port = /^\d{1,5}$/.test(PORT) ? Number(PORT) : 0;
  if (port < 1 || port > 65_535) return `PORT has to be a number from 1 to 65535, and is ${JSON.stringify(PORT)}.`;
  const limits = rateLimits.find((known) => known === RATE_LIMITS);
  if (!limits) return `RATE_LIMITS has to be one of ${rateLimits.join(", ")}, and is ${JSON.stringify(RATE_LIMITS)}.`;
  const urls = readUrls(env, { GITHUB_API_URL: "https://api.github.com", GITHUB_SERVER_URL: "https://github.com" });
  if (typeof urls === "string") return urls;
  const github = {
    token: env.GITHUB_TOKEN?.trim() || null,
    apiUrl: urls.GITHUB_API_URL,
    serverUrl: urls.GITHUB_SERVER_URL,
  };
  const real = readRealProviders(env);
  if (typeof real === "string") return real;
  const plan = env.PLAN ? planNames.find((known) => known === env.PLAN) : null;
  if (plan === undefined) return `PLAN has to be one of ${planNames.join(", ")}, and is ${JSON.stringify(env.PLAN)}.`;
  const { IDLE_MINUTES: idle = "" } = env;
  const idleMinutes = idle === "" ? null : Number(/^\d{1,5}$/.test(idle) ? idle : 0);
  if (idleMinutes !== null && idleMinutes < idleMinutesMin) {
    return `IDLE_MINUTES has to be a number from ${idleMinutesMin} on, and is ${JSON.stringify(idle)}.`;
  }
  const { DEMO_DEPLOY: demo = "on" } = env;
  if (demo !== "on" && demo !== "off") return `DEMO_DEPLOY has to be on or off, and is ${JSON.stringify(demo)}.`;
  const deploysDemo = demo === "on";
  const { WEBHOOKS_TO_LOOPBACK: loopback = "off" } = env;
  if (loopback !== "on" && loopback !== "off")
    return `WEBHOOKS_TO_LOOPBACK has to be on or off, and is ${JSON.stringify(loopback)}.`;
  const webhooksToLoopback = loopback === "on";
  const previewDomain = env.PREVIEW_DOMAIN?.trim() || null;
  if (previewDomain !== null && !isHostName(previewDomain)) {
    return `PREVIEW_DOMAIN has to be a host name without a port, and is ${JSON.stringify(previewDomain)}.`;
  }
  const engine = readEngineSettings(env);
  const stateDir = resolve(STATE_DIR);
  return {
    ...{ port, stateDir, rateLimits: limits, github, real, plan, idleMinutes, previewDomain, engine, deploysDemo },
    webhooksToLoopback,
  };
}

/** The names of the given keys. */
export function listKeyNames(real: RealProviders): string[] {
  return providerIds.filter((id) => real[id]).map(keyName);
}

/** Reads the addresses of the providers that have one. Returns a message if one is invalid. */
export function readProviderUrls(
  env: Record<string, string | undefined>,
): Partial<Record<ProviderId, string>> | string {
  const urls = readUrls(env, Object.fromEntries(providerIds.map((id) => [addressName(id), ""])));
  if (typeof urls === "string") return urls;
  const given = providerIds.filter((id) => urls[addressName(id)]);
  return Object.fromEntries(given.map((id) => [id, withoutVersion(urls[addressName(id)] ?? "")]));
}

/** Paths of calls start with the version, which some tools include in the URL. */
const withoutVersion = (url: string) => url.replace(/\/v1$/, "");

/** Reads the providers that have a key. Returns a message if a key or a URL is invalid. */
function readRealProviders(env: Record<string, string | undefined>): RealProviders | string {
  const real: RealProviders = {};
  for (const id of providerIds) {
    const apiKey = env[keyName(id)]?.trim();
    if (!apiKey) continue;
    // The key is sent in a header.
    if (!/^[\x21-\x7e]+$/.test(apiKey))
      return `${keyName(id)} is not a key: it contains a space or a character that no key has.`;
    const urls = readUrls(env, { [addressName(id)]: "" });
    if (typeof urls === "string") return urls;
    real[id] = { apiKey, baseUrl: withoutVersion(urls[addressName(id)] ?? "") || null };
  }
  return real;
}

/** Deletes the credentials from an environment, so that no child process gets them. */
export function deleteCredentials(env: Record<string, string | undefined>): void {
  for (const name of [...credentials, ...secrets]) delete env[name];
}

const isHostName = (name: string) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/.test(name);

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Reads the URLs that credentials are sent to, each with its default. Returns a message if one is
 * invalid or not encrypted.
 */
function readUrls<Name extends string>(
  env: Record<string, string | undefined>,
  defaults: Record<Name, string>,
): Record<Name, string> | string {
  const urls = { ...defaults };
  for (const name of Object.keys(defaults) as Name[]) {
    const given = env[name]?.trim();
    if (!given) continue;
    const { protocol, hostname } = URL.canParse(given) ? new URL(given) : { protocol: "", hostname: "" };
    const isSafe = protocol === "https:" || (protocol === "http:" && loopbackNames.includes(hostname));
    if (!isSafe) return `${name} has to be an address that begins with https://, or is on this machine.`;
    urls[name] = given.replace(/\/+$/, "");
  }
  return urls;
}
