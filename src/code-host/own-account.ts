// The account that the service has at the code host: the name that people mention it with, and the
// login that its comments have.
import type { Env } from "../env.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { findApp } from "./code-host.ts";
import { asApp } from "./github/app.ts";
import { createGithubCall } from "./github/call.ts";

export interface OwnAccount {
  /** What follows the @ of a mention. */
  name: string;
  login: string;
  /** The page that installs the app; null for an account without an app. */
  installUrl: string | null;
}

type Settings = Pick<Env, "CODE_HOST_API_URL" | "CODE_HOST_APP_ID" | "CODE_HOST_APP_PRIVATE_KEY" | "CODE_HOST_TOKEN">;

const knownMs = 5 * 60_000;
const waitMs = 10_000;
/** By address and app or token. The owner of an app may rename it. */
const known = new Map<string, { account: OwnAccount; at: number }>();

/** Reads the account; null without access to a code host. */
export async function readOwnAccount(env: Settings, now: number): Promise<OwnAccount | null | Refusal> {
  const { CODE_HOST_API_URL: apiUrl, CODE_HOST_TOKEN: token } = env;
  const app = findApp(env);
  if (app === null && !token) return null;
  const key = `${apiUrl} ${app?.appId ?? token}`;
  const cached = known.get(key);
  if (cached && cached.at > now - knownMs) return cached.account;
  const read = app ? await readApp(app) : await readUser(apiUrl, token ?? "");
  if (!isRefusal(read)) known.set(key, { account: read, at: now });
  return read;
}

async function readApp(app: NonNullable<ReturnType<typeof findApp>>): Promise<OwnAccount | Refusal> {
  const call = createGithubCall({ apiUrl: app.apiUrl, credential: asApp(app) });
  const found = await call<{ slug: string; html_url: string }>(
    { method: "GET", path: "/app" },
    AbortSignal.timeout(waitMs),
  );
  if (isRefusal(found)) return found;
  return { name: found.slug, login: `${found.slug}[bot]`, installUrl: `${found.html_url}/installations/new` };
}

/** The account of the operator's token, which is a person's or a program's. */
async function readUser(apiUrl: string, token: string): Promise<OwnAccount | Refusal> {
  const call = createGithubCall({ apiUrl, credential: async () => token });
  const found = await call<{ login: string }>({ method: "GET", path: "/user" }, AbortSignal.timeout(waitMs));
  return isRefusal(found) ? found : { name: found.login, login: found.login, installUrl: null };
}
