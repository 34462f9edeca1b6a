// The secrets of the one-machine world, generated once and stored in its state folder. In
// production `wrangler secret put` sets them.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { createSecret } from "../src/lib/ids.ts";

export const people = ["owner", "admin", "member", "outsider"] as const;
export type Person = (typeof people)[number];

export interface Secrets {
  signingKey: string;
  sealingKeys: string;
  /** The stand-in code host's token, which grants everything. */
  codeHostToken: string;
  /** The private key of the service's app at the stand-in code host, in PEM. */
  codeHostAppKey: string;
  /** The OAuth client secret at the stand-in code host. */
  codeHostClientSecret: string;
  /** Signs the stand-in code host's webhooks. */
  codeHostWebhookSecret: string;
  /** The token key of the practice push service, in PEM. */
  apnsPrivateKey: string;
  /** The private key of Web Push. */
  webPushPrivateKey: string;
  /** The S3 key of the storage. */
  s3: { accessKeyId: string; secretAccessKey: string };
  apiKeys: Record<Person, string>;
}

/** Reads the secrets of a state folder, and generates missing ones. */
export async function loadSecrets(stateDir: string): Promise<Secrets> {
  const file = `${stateDir}/secrets.json`;
  const kept = await readSecrets(file);
  const secrets = { ...drawSecrets(), ...kept, codeHostAppKey: kept.codeHostAppKey ?? drawAppKey() };
  if (Object.keys(secrets).every((name) => name in kept)) return secrets;
  await writeFile(`${file}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return secrets;
}

async function readSecrets(file: string): Promise<Partial<Secrets>> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    return {};
  }
}

/** A PKCS #1 key, as GitHub issues them. */
function drawAppKey(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  return privateKey.export({ type: "pkcs1", format: "pem" }).toString();
}

/** A P-256 key in PKCS #8, as Apple issues them. */
function drawPushKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

function drawSecrets(): Omit<Secrets, "codeHostAppKey"> {
  return {
    signingKey: createSecret(),
    sealingKeys: `k1:${randomBytes(32).toString("base64url")}`,
    codeHostToken: createSecret("practice-"),
    codeHostClientSecret: createSecret("practice-"),
    codeHostWebhookSecret: createSecret("practice-"),
    apnsPrivateKey: drawPushKey(),
    webPushPrivateKey: randomBytes(32).toString("base64url"),
    s3: { accessKeyId: "one-machine", secretAccessKey: createSecret() },
    apiKeys: {
      owner: createSecret("svc_key_"),
      admin: createSecret("svc_key_"),
      member: createSecret("svc_key_"),
      outsider: createSecret("svc_key_"),
    },
  };
}
