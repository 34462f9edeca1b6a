// The secrets of the Worker: those that a deployment draws itself, and those that an operator gives in the environment.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

/** Drawn when they are missing. No Worker runs without them. */
export const drawnSecrets = ["SIGNING_KEY", "SEALING_KEYS"] as const;
export type DrawnSecret = (typeof drawnSecrets)[number];

/** Given by the operator, with what the service cannot do without each. */
export const givenSecrets: Record<string, string> = {
  CODE_HOST_APP_ID: "no repository is opened, unless CODE_HOST_TOKEN is set",
  CODE_HOST_APP_PRIVATE_KEY: "no repository is opened, unless CODE_HOST_TOKEN is set",
  CODE_HOST_CLIENT_ID: "nobody can sign in",
  CODE_HOST_CLIENT_SECRET: "nobody can sign in",
  CODE_HOST_WEBHOOK_SECRET: "webhooks are refused",
  APNS_KEY_ID: "no notices are sent to phones and watches",
  APNS_TEAM_ID: "no notices are sent to phones and watches",
  APNS_PRIVATE_KEY: "no notices are sent to phones and watches",
  S3_ACCESS_KEY_ID: "images and videos are not served",
  S3_SECRET_ACCESS_KEY: "images and videos are not served",
};
const alsoTaken = ["CODE_HOST_TOKEN", "SIGNING_KEY_PREVIOUS", "OPERATOR_KEY"];

/** Every name under which an operator may give a secret. `<NAME>_FILE` is the path of a file that holds it, such as a PEM. */
export const secretNames = [...drawnSecrets, ...Object.keys(givenSecrets), ...alsoTaken];

/** The secrets in an environment. Throws if a file cannot be read, without what it holds. */
export function secretsGiven(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of secretNames) {
    const file = env[`${name}_FILE`];
    const value = file ? readFileSync(file, "utf8") : env[name];
    if (value) given[name] = value;
  }
  return given;
}

export function drawSecret(name: DrawnSecret): string {
  const drawn = randomBytes(32).toString("base64url");
  return name === "SEALING_KEYS" ? `k1:${drawn}` : drawn;
}
