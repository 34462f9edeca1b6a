// The secrets of the Worker: those that a deployment draws itself, and those that an operator sets
// in the environment.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { operatorKeyCharactersMin } from "../../src/rules/limits.ts";
import { Stop } from "../lib/exit.ts";

/** Drawn if they are missing. No Worker runs without them. */
export const drawnSecrets = ["SIGNING_KEY", "SEALING_KEYS"] as const;
export type DrawnSecret = (typeof drawnSecrets)[number];

/** Set by the operator. Each has a text that says what the service cannot do without it. */
export const givenSecrets: Record<string, string> = {
  CODE_HOST_APP_ID: "no repository is opened, unless CODE_HOST_TOKEN is set",
  CODE_HOST_APP_PRIVATE_KEY: "no repository is opened, unless CODE_HOST_TOKEN is set",
  CODE_HOST_CLIENT_ID: "nobody can sign in",
  CODE_HOST_CLIENT_SECRET: "nobody can sign in",
  CODE_HOST_WEBHOOK_SECRET: "webhooks are refused",
  APNS_KEY_ID: "no notifications are sent to phones and watches",
  APNS_TEAM_ID: "no notifications are sent to phones and watches",
  APNS_PRIVATE_KEY: "no notifications are sent to phones and watches",
  WEB_PUSH_PRIVATE_KEY: "no notifications are sent to browsers",
  S3_ACCESS_KEY_ID: "images and videos are not served",
  S3_SECRET_ACCESS_KEY: "images and videos are not served",
};
const alsoTaken = ["CODE_HOST_TOKEN", "SIGNING_KEY_PREVIOUS", "OPERATOR_KEY"];

/**
 * All names under which an operator may set a secret. `<NAME>_FILE` is the path of a file that
 * contains it, such as a PEM.
 */
export const secretNames = [...drawnSecrets, ...Object.keys(givenSecrets), ...alsoTaken];

/** Reads the secrets of an environment and trims them. Throws `Stop` if a file cannot be read. */
export function readSecrets(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of secretNames) {
    const file = env[`${name}_FILE`];
    const value = (file ? readSecret(name, file) : (env[name] ?? "")).trim();
    if (value) given[name] = value;
  }
  return given;
}

function readSecret(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Stop(`${name}_FILE names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

const signingKeyCharactersMin = 32;
/** Ids must be unique: of two keys with one id, only the first would unseal. */
const sealingKeys = /^(?!(.*,)?([^:,]+):.*,\2:)[^:,.\s]+:[\w-]{43}(,[^:,.\s]+:[\w-]{43})*$/;
const privateKey = /^-----BEGIN ([A-Z]+ )?PRIVATE KEY-----[\s\S]+-----END ([A-Z]+ )?PRIVATE KEY-----$/;

/** The required formats of secrets, each with what to set. */
const forms: [names: string[], form: RegExp, help: string][] = [
  [
    ["SEALING_KEYS"],
    sealingKeys,
    "as ID:KEY, separated by commas, with an ID for each and 32 bytes in base64url as KEY",
  ],
  [
    ["SIGNING_KEY", "SIGNING_KEY_PREVIOUS"],
    atLeast(signingKeyCharactersMin),
    `of ${signingKeyCharactersMin} characters or more`,
  ],
  [["OPERATOR_KEY"], atLeast(operatorKeyCharactersMin), `of ${operatorKeyCharactersMin} characters or more`],
  [["WEB_PUSH_PRIVATE_KEY"], /^[\w-]{43}$/, "as 32 bytes in base64url"],
  [["CODE_HOST_APP_PRIVATE_KEY", "APNS_PRIVATE_KEY"], privateKey, "as the whole PEM file"],
];

/**
 * Says what to do about secrets that the Worker could not use; empty if it can use all. Contains
 * none of their values.
 */
export function listSecretMistakes(given: Readonly<Record<string, string>>): string[] {
  return forms.flatMap(([names, form, help]) =>
    names.filter((name) => given[name] !== undefined && !form.test(given[name])).map((name) => `Give ${name} ${help}.`),
  );
}

function atLeast(characters: number): RegExp {
  return new RegExp(`^[^]{${characters},}$`);
}

const keyIdBytes = 4;

/** Draws a key. The id of a sealing key is random too, so that two of them cannot be confused. */
export function createSecret(name: DrawnSecret): string {
  const drawn = randomBytes(32).toString("base64url");
  return name === "SEALING_KEYS" ? `k${randomBytes(keyIdBytes).toString("hex")}:${drawn}` : drawn;
}

/** The ids of sealing keys. */
export const listSealingKeyIds = (keys: string) => keys.split(",").map((key) => key.split(":")[0] ?? "");
