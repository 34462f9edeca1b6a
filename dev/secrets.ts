// The secrets of the one-machine world, drawn once and kept in its state folder: what in production `wrangler secret put` sets.
import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { newSecret } from "../src/ids.ts";

export const people = ["owner", "admin", "member", "outsider"] as const;
export type Person = (typeof people)[number];

export interface Secrets {
  signingKey: string;
  sealingKeys: string;
  /** Opens the practice forge. */
  codeHostToken: string;
  apiKeys: Record<Person, string>;
}

/** Reads the secrets of a state folder, or draws them. */
export async function openSecrets(stateDir: string): Promise<Secrets> {
  const file = `${stateDir}/secrets.json`;
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  const secrets: Secrets = {
    signingKey: newSecret(),
    sealingKeys: `k1:${randomBytes(32).toString("base64url")}`,
    codeHostToken: newSecret("practice-"),
    apiKeys: {
      owner: newSecret("svc_key_"),
      admin: newSecret("svc_key_"),
      member: newSecret("svc_key_"),
      outsider: newSecret("svc_key_"),
    },
  };
  await writeFile(`${file}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return secrets;
}
