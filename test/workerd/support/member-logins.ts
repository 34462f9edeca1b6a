// Keys that members hold at the model providers, in the database of the tests of objects.
import { env } from "cloudflare:workers";
import type { ProviderId } from "../../../src/model/rules/provider.ts";
import { sealKey } from "../../../src/provider-login/credentials.ts";
import type { LoginName } from "../../../src/provider-login/rules/login.ts";
import type { LoginState } from "../../../src/provider-login/rules/login-order.ts";

/** Gives a member a key at the last place, and returns its id. */
export async function addMemberKey(
  userId: string,
  { provider, apiKey, ...state }: { provider: ProviderId; apiKey: string } & Partial<LoginState>,
): Promise<string> {
  const name: LoginName = { owner: { type: "member", id: userId }, provider, id: crypto.randomUUID() };
  const { sealed, fingerprint, label, maskedKey } = await sealKey(env, name, apiKey, 0);
  await env.DB.prepare(
    `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, kind, sealed, fingerprint, label, masked_key,
       needs_reauth, exhausted_until, authenticated_at)
     SELECT ?1, 'member', ?2, ?3, count(*), 'key', ?4, ?5, ?6, ?7, ?8, ?9, 0 FROM provider_logins
     WHERE owner_type = 'member' AND owner_id = ?2 AND provider = ?3`,
  )
    .bind(
      ...[name.id, userId, provider, sealed, fingerprint, label, maskedKey],
      ...[state.needsReauth ? 1 : 0, state.exhaustedUntil ?? null],
    )
    .run();
  return name.id;
}
