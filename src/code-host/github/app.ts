// The service as a GitHub App: it signs a short-lived JWT, finds the installation of a repository, and gets an installation token for that
// repository alone, which is valid for an hour.
import { toBase64Url } from "../../base64url.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { openGithub } from "./call.ts";
import { readPrivateKey } from "./private-key.ts";

export interface AppSettings {
  apiUrl: string;
  appId: string;
  /** PEM, in the form that GitHub hands out. */
  privateKey: string;
  waitMs?: number;
}

/** A token for one repository. */
export interface InstallationToken {
  token: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

interface TokenResult {
  token: string;
  expires_at: string;
}

// GitHub refuses a JWT from its future, so `iat` allows for a clock ahead of GitHub's; and one that is valid for more than ten minutes.
const backdatedSeconds = 60;
const jwtSeconds = 540;
const answerWaitMs = 10_000;

const appRefused = refuse(
  "SERVICE_UNAVAILABLE",
  "The code host does not take the service for its app. Whoever runs the service has to check CODE_HOST_APP_ID and CODE_HOST_APP_PRIVATE_KEY.",
);

/** Requests a new token for a repository. NOT_FOUND where the app is not installed. */
export async function issueInstallationToken(
  settings: AppSettings,
  repository: string,
): Promise<InstallationToken | Refusal> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), settings.waitMs ?? answerWaitMs);
  try {
    return await requestToken(settings, repository, timeout.signal);
  } finally {
    // A pending timer would keep the Durable Object in memory.
    clearTimeout(timer);
  }
}

async function requestToken(
  { apiUrl, appId, privateKey }: AppSettings,
  repository: string,
  signal: AbortSignal,
): Promise<InstallationToken | Refusal> {
  const jwt = await appJwt(appId, privateKey, Date.now()).catch(() => null);
  if (jwt === null) return appRefused;
  const call = openGithub({ apiUrl, credential: async (refused) => (refused === undefined ? jwt : appRefused) });
  const installation = await call<{ id: number }>({ method: "GET", path: `/repos/${repository}/installation` }, signal);
  if (isRefusal(installation)) return installation.code === "NOT_FOUND" ? notInstalled(repository) : installation;
  const [, name = ""] = repository.split("/");
  const path = `/app/installations/${installation.id}/access_tokens`;
  const issued = await call<TokenResult>({ method: "POST", path, body: { repositories: [name] } }, signal);
  if (isRefusal(issued)) return issued.code === "NOT_FOUND" ? notInstalled(repository) : issued;
  return { token: issued.token, expiresAt: Date.parse(issued.expires_at) };
}

/** The JWT that authenticates the app, signed with its key. Throws for a key that cannot be read. */
export async function appJwt(appId: string, privateKey: string, now: number): Promise<string> {
  const key = await readPrivateKey(privateKey);
  const seconds = Math.floor(now / 1_000);
  const claims = { iss: appId, iat: seconds - backdatedSeconds, exp: seconds + jwtSeconds };
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
