// Connects a pasted API key to a user's subscription, after a test call has shown that the provider
// accepts it.
import type { Env } from "../env.ts";
import { createId } from "../lib/ids.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { sealKey } from "./credentials.ts";
import { connectLogin, hasLogin, replaceLogin } from "./queries/subscriptions.ts";
import type { LoginName } from "./rules/login.ts";
import { tryKey } from "./try-key.ts";

export interface ConnectCommand {
  userId: string;
  provider: ProviderId;
  apiKey: string;
  /** The login that the key replaces; null to add it after the others. */
  loginId: string | null;
}

const noLogin = refuse("NOT_FOUND", "You have no such login at this provider.");

/** A refusal changes nothing. A key at its limit is saved, and marked. */
export async function connectUserKey(env: Env, command: ConnectCommand, now: number): Promise<Refusal | null> {
  const { userId, provider, apiKey, loginId } = command;
  const name: LoginName = { owner: { type: "member", id: userId }, provider, id: loginId ?? createId(now) };
  if (loginId !== null && !(await hasLogin(env.DB, name))) return noLogin;
  const tried = await tryKey(env, name, apiKey);
  if (isRefusal(tried)) return tried;
  const key = { ...(await sealKey(env, name, apiKey, now)), ...tried };
  const outcome = await (loginId === null ? connectLogin(env.DB, name, key) : replaceLogin(env.DB, name, key));
  switch (outcome) {
    case "connected":
      return null;
    case "duplicate":
      return refuse("PROVIDER_LOGIN_DUPLICATE");
    case "at-limit":
      return refuse("PROVIDER_LOGIN_LIMIT");
    case "unknown":
      return noLogin;
  }
}
