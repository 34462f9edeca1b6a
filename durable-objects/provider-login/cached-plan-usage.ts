// The usage of a login, as its provider reports it. It is read from the provider at most once per
// interval, however many callers ask.
import type { Env } from "../../src/env.ts";
import { isExpired, unsealCredential } from "../../src/provider-login/credentials.ts";
import { readPlanUsage } from "../../src/provider-login/plan-usage.ts";
import { findLogin, type LoginRow } from "../../src/provider-login/queries/logins.ts";
import type { LoginName } from "../../src/provider-login/rules/login.ts";
import type { MarkedUsage, UsageAnswer } from "../../src/provider-login/rules/plan-usage.ts";
import { usageAgeMaxMs } from "../../src/rules/limits.ts";
import type { Refreshed } from "./rpc.ts";

/** `exhaustedUntil` is the limit mark when the answer was read. */
interface Told extends MarkedUsage {
  askedAt: number;
  /** Changes when the login is connected again. */
  authenticatedAt: number;
}

type Refresh = (seen: string) => Promise<Refreshed>;

export interface LoginUsage {
  of(name: LoginName, refresh: Refresh): Promise<MarkedUsage>;
}

/** Creates the cached usage of a login. */
export function createLoginUsage(kv: SyncKvStorage, env: Env): LoginUsage {
  let asking: Promise<MarkedUsage> | null = null;

  async function read(name: LoginName, refresh: Refresh): Promise<MarkedUsage> {
    const login = await findLogin(env.DB, name);
    if (!login) return { answer: { type: "refused" }, exhaustedUntil: null };
    const { authenticatedAt, exhaustedUntil } = login;
    const told = kv.get<Told>("usage");
    // An answer from before the login's limit mark says nothing about that limit.
    const isOfMark = exhaustedUntil === null || told?.exhaustedUntil === exhaustedUntil;
    const known = told?.authenticatedAt === authenticatedAt && isOfMark ? told : null;
    if (known && Date.now() - known.askedAt < usageAgeMaxMs) return { answer: known.answer, exhaustedUntil };
    // Also stored before the call, so that an object that dies meanwhile does not ask again.
    const keep = (answer: UsageAnswer) =>
      kv.put("usage", { answer, askedAt: Date.now(), authenticatedAt, exhaustedUntil } satisfies Told);
    keep(known?.answer ?? { type: "unavailable" });
    const answer = await ask(login, name, refresh);
    keep(answer);
    return { answer, exhaustedUntil };
  }

  async function ask(login: LoginRow, name: LoginName, refresh: Refresh): Promise<UsageAnswer> {
    const credential = await unsealCredential(env, name, login);
    if (credential.kind === "key") return await readPlanUsage(env, name.provider, credential.apiKey);
    if (credential.needsReauth) return { type: "refused" };
    const askRefreshed = async (): Promise<UsageAnswer> => {
      const refreshed = await refresh(credential.sealed);
      if (refreshed.type === "needs-reauth") return { type: "refused" };
      if (refreshed.type !== "refreshed") return { type: "unavailable" };
      return await readPlanUsage(env, name.provider, refreshed.accessToken);
    };
    if (isExpired(credential, Date.now())) return await askRefreshed();
    const answer = await readPlanUsage(env, name.provider, credential.accessToken);
    return answer.type === "refused" ? await askRefreshed() : answer;
  }

  return {
    async of(name, refresh) {
      asking ??= read(name, refresh).finally(() => {
        asking = null;
      });
      return await asking;
    },
  };
}
