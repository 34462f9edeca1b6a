// The settings of `npm start`, from the environment.
import { resolve } from "node:path";
import type { GithubSettings } from "./own-repository/hosted.ts";
import type { WorldOptions } from "./world.ts";

export interface StartSettings extends Required<Pick<WorldOptions, "port" | "stateDir" | "rateLimits">> {
  github: GithubSettings;
}

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
  return { port, stateDir: resolve(STATE_DIR), rateLimits: limits, github };
}

/** Takes the credentials out of an environment, so that no process that is started gets them. */
export function dropCredentials(env: Record<string, string | undefined>): void {
  delete env.GITHUB_TOKEN;
}

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Reads the addresses that credentials are sent to, each with its default. Returns a message if one is no address, or not encrypted. */
function readUrls<Name extends string>(
  env: Record<string, string | undefined>,
  defaults: Record<Name, string>,
): Record<Name, string> | string {
  const urls = { ...defaults };
  for (const name of Object.keys(defaults) as Name[]) {
    const given = env[name]?.trim() || defaults[name];
    const { protocol, hostname } = URL.canParse(given) ? new URL(given) : { protocol: "", hostname: "" };
    const isSafe = protocol === "https:" || (protocol === "http:" && loopbackNames.includes(hostname));
    if (!isSafe) return `${name} has to be an address that begins with https://, or is on this machine.`;
    urls[name] = given.replace(/\/+$/, "");
  }
  return urls;
}
