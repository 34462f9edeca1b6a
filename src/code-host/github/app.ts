// The service as an app at GitHub: it proves itself by a short-lived token of its own, finds where it is installed, and is given a token for
// one repository there, for an hour.
import { toBase64Url } from "../../base64url.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { openGithub } from "./call.ts";
import { readPrivateKey } from "./private-key.ts";

export interface AppSettings {
  apiUrl: string;
  appId: string;
  /** As GitHub hands it out, in PEM. */
  privateKey: string;
  waitMs?: number;
}

/** What opens one repository for a while. */
export interface InstallationToken {
  token: string;
  expiresAt: number;
}

interface TokenAnswer {
  token: string;
  expires_at: string;
}

// The host's clock may be behind, and takes no more than ten minutes.
const backdatedSeconds = 60;
const proofSeconds = 540;
const answerWaitMs = 10_000;

const notTaken = refuse(
  "SERVICE_UNAVAILABLE",
  "The code host does not take the service for its app. Whoever runs the service has to check CODE_HOST_APP_ID and CODE_HOST_APP_PRIVATE_KEY.",
);

/** Asks for a new token of a repository. NOT_FOUND where the app is not installed. */
export async function issueInstallationToken(
  settings: AppSettings,
  repository: string,
): Promise<InstallationToken | Refusal> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), settings.waitMs ?? answerWaitMs);
  try {
    return await askForToken(settings, repository, patience.signal);
  } finally {
    // A timer that runs on would keep the object in memory.
    clearTimeout(timer);
  }
}

async function askForToken(
  { apiUrl, appId, privateKey }: AppSettings,
  repository: string,
  signal: AbortSignal,
): Promise<InstallationToken | Refusal> {
  const proof = await proofOf(appId, privateKey, Date.now()).catch(() => null);
  if (proof === null) return notTaken;
  const call = openGithub({ apiUrl, credential: async (refused) => (refused === undefined ? proof : notTaken) });
  const installation = await call<{ id: number }>({ method: "GET", path: `/repos/${repository}/installation` }, signal);
  if (isRefusal(installation)) return installation.code === "NOT_FOUND" ? notInstalled(repository) : installation;
  const [, name = ""] = repository.split("/");
  const path = `/app/installations/${installation.id}/access_tokens`;
  const issued = await call<TokenAnswer>({ method: "POST", path, body: { repositories: [name] } }, signal);
  if (isRefusal(issued)) return issued.code === "NOT_FOUND" ? notInstalled(repository) : issued;
  return { token: issued.token, expiresAt: Date.parse(issued.expires_at) };
}

/** The token that proves who calls: a JWT signed with the app's key. */
export async function proofOf(appId: string, privateKey: string, now: number): Promise<string> {
  const key = await readPrivateKey(privateKey);
  const seconds = Math.floor(now / 1_000);
  const claims = { iss: appId, iat: seconds - backdatedSeconds, exp: seconds + proofSeconds };
  const text = [{ alg: "RS256", typ: "JWT" }, claims].map((part) => encoded(JSON.stringify(part))).join(".");
  const signature = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", key, new TextEncoder().encode(text));
  return `${text}.${toBase64Url(new Uint8Array(signature))}`;
}

function encoded(text: string): string {
  return toBase64Url(new TextEncoder().encode(text));
}

function notInstalled(repository: string): Refusal {
  const message = `The code host has no repository ${repository}, or the service's app is not installed there. Install it for this repository.`;
  return refuse("NOT_FOUND", message);
}
