// The provider login object: one per login, so that it is refreshed once, however many calls find
// it expired.

import { getErrorMessage } from "../../src/lib/error-text.ts";
import { log } from "../../src/lib/log.ts";
import { findLoginClient } from "../../src/provider-login/connect/oauth-client.ts";
import { refreshTokens } from "../../src/provider-login/connect/token-endpoint.ts";
import {
  isExpired,
  type Login,
  readCredential,
  resealCredential,
  sealTokens,
  unsealTokens,
} from "../../src/provider-login/credentials.ts";
import { type SealedCredential, updateCredential } from "../../src/provider-login/queries/logins.ts";
import { addRevocationIfGone } from "../../src/provider-login/queries/revocations.ts";
import type { LoginName } from "../../src/provider-login/rules/login.ts";
import type { MarkedUsage } from "../../src/provider-login/rules/plan-usage.ts";
import type { SignInAnswer } from "../../src/provider-login/rules/sign-in.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import { createKeyedLock } from "../object/keyed-lock.ts";
import { ServiceObject } from "../object/service-object.ts";
import { createLoginUsage } from "./cached-plan-usage.ts";
import { finishSignIn } from "./connect.ts";
import type { ProviderLoginRpc, Refreshed } from "./rpc.ts";

/** New tokens that are not in the database yet. */
interface Rotation extends Pick<SealedCredential, "sealed" | "fingerprint" | "expiresAt"> {
  /** The sealed text that the new tokens replace. */
  from: string;
}

export class ProviderLoginObject extends ServiceObject implements ProviderLoginRpc {
  readonly #usage = createLoginUsage(this.ctx.storage.kv, this.env);
  #refreshing: { seen: string; outcome: Promise<Refreshed> } | null = null;
  readonly #lock = createKeyedLock();

  async finishSignIn(tokenHash: string, pasted: string | null): Promise<SignInAnswer | Refusal> {
    return await this.#lock(tokenHash, () => finishSignIn(this.env, tokenHash, pasted));
  }

  /**
   * Returns an access token that is newer than the one in `seen`, the sealed text that the caller
   * read. Concurrent callers share one refresh.
   */
  async refresh(name: LoginName, seen: string): Promise<Refreshed> {
    // A refresh that was already running may return the token that this caller found expired.
    while (this.#refreshing && this.#refreshing.seen !== seen) await Promise.allSettled([this.#refreshing.outcome]);
    const done = () => {
      this.#refreshing = null;
    };
    this.#refreshing ??= { seen, outcome: this.#refresh(name, seen).finally(done) };
    return await this.#refreshing.outcome;
  }

  async usage(name: LoginName): Promise<MarkedUsage> {
    return await this.#usage.of(name, (seen) => this.refresh(name, seen));
  }

  /**
   * Seals the stored credential again, with the first key. Returns null, or the reason of a
   * failure. Never overlaps a refresh, because a refresh relies on the text that it read.
   */
  async reseal(name: LoginName): Promise<string | null> {
    while (this.#refreshing) await Promise.allSettled([this.#refreshing.outcome]);
    return await this.ctx.blockConcurrencyWhile(() => this.#reseal(name).then(() => null, getErrorMessage));
  }

  async #reseal(name: LoginName): Promise<void> {
    // New tokens that wait for the database will replace the stored ones.
    if (this.ctx.storage.kv.get("rotation") !== undefined) return;
    await resealCredential(this.env, name);
  }

  async #refresh(name: LoginName, seen: string): Promise<Refreshed> {
    const kept = this.ctx.storage.kv.get<Rotation>("rotation");
    const isWritten = !kept || (await this.#write(name, kept));
    // The tokens can be used even if the database does not accept them now.
    if (!isWritten && kept.from === seen) return await this.#refreshed(name, kept);
    const held = await readCredential(this.env, name);
    if (held?.kind !== "login" || held.needsReauth) return { type: "needs-reauth" };
    if (held.sealed !== seen && !isExpired(held, Date.now())) {
      return { type: "refreshed", accessToken: held.accessToken, sealed: held.sealed };
    }
    return await this.#rotate(name, held);
  }

  async #rotate(name: LoginName, held: Login): Promise<Refreshed> {
    const client = findLoginClient(this.env, name.provider);
    if (!client) return { type: "no-client" };
    const answer = await refreshTokens(client, held.refreshToken);
    switch (answer.type) {
      case "tokens": {
        const { expiresAt } = answer.tokens;
        const { sealed: from, fingerprint } = held;
        const rotation = { from, sealed: await sealTokens(this.env, name, answer.tokens), fingerprint, expiresAt };
        // The old tokens are no longer valid, so the new ones are stored here before they are
        // written to the database.
        this.ctx.storage.kv.put("rotation", rotation);
        await this.#write(name, rotation);
        return await this.#refreshed(name, rotation);
      }
      case "refused":
        await updateCredential(this.env.DB, name, held, { needsReauth: true });
        return { type: "needs-reauth" };
      case "client-refused":
      case "unavailable":
        return answer;
    }
  }

  /**
   * Writes new tokens to the database. Returns false if that fails. They then stay stored here, and
   * are written before the next refresh.
   */
  async #write(name: LoginName, { from, sealed, fingerprint, expiresAt }: Rotation): Promise<boolean> {
    try {
      const isReplaced = await updateCredential(this.env.DB, name, { sealed: from }, { sealed, expiresAt });
      // If the login was disconnected or replaced meanwhile, only its old tokens were revoked.
      if (!isReplaced) await addRevocationIfGone(this.env.DB, name, sealed, fingerprint).run();
      this.ctx.storage.kv.delete("rotation");
      return true;
    } catch (error) {
      log.warn("provider_login.write_delayed", { loginId: name.id, error });
      return false;
    }
  }

  async #refreshed(name: LoginName, { sealed }: Rotation): Promise<Refreshed> {
    const { accessToken } = await unsealTokens(this.env, name, sealed);
    return { type: "refreshed", accessToken, sealed };
  }
}
