// The login object: one per workspace and provider, so that a login is refreshed once, however many calls find it expired.
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../src/env.ts";
import { isExpired, type Login, sealTokens, workspaceCredential } from "../src/models/credentials.ts";
import { loginClient, refreshTokens } from "../src/models/token-endpoint.ts";
import { type CredentialName, replaceCredential, type SealedCredential } from "../src/storage/queries/credentials.ts";

export type Refreshed =
  | { outcome: "refreshed"; accessToken: string }
  /** The provider takes the login no more. */
  | { outcome: "needs-reauth" }
  /** The operator has no client at the provider. */
  | { outcome: "no-client" }
  | { outcome: "unavailable" };

/** New tokens on their way to the database. */
interface Rotation extends Pick<SealedCredential, "sealed" | "expiresAt"> {
  /** The sealed text in whose place they go. */
  from: string;
}

export class LoginObject extends DurableObject<Env> {
  #refreshing: Promise<Refreshed> | null = null;

  /** An access token that is newer than the one in `seen`, the sealed text that the caller read. Callers at the same time share one refresh. */
  async refresh(name: CredentialName, seen: string): Promise<Refreshed> {
    this.#refreshing ??= this.#refresh(name, seen).finally(() => {
      this.#refreshing = null;
    });
    return await this.#refreshing;
  }

  async #refresh(name: CredentialName, seen: string): Promise<Refreshed> {
    const held = await this.#settled(name);
    if (held?.kind !== "login" || held.needsReauth) return { outcome: "needs-reauth" };
    if (held.sealed !== seen && !isExpired(held, Date.now())) {
      return { outcome: "refreshed", accessToken: held.accessToken };
    }
    return await this.#rotate(name, held);
  }

  /** The credential as it stands, once new tokens that an earlier life did not get into the database are there. */
  async #settled(name: CredentialName) {
    const held = await workspaceCredential(this.env, name);
    const rotation = this.ctx.storage.kv.get<Rotation>("rotation");
    if (!rotation) return held;
    const isMissing = held?.kind === "login" && held.sealed === rotation.from;
    if (isMissing) await this.#write(name, rotation);
    else this.ctx.storage.kv.delete("rotation");
    return isMissing ? await workspaceCredential(this.env, name) : held;
  }

  async #rotate(name: CredentialName, held: Login): Promise<Refreshed> {
    const client = loginClient(this.env, name.provider);
    if (!client) return { outcome: "no-client" };
    const answer = await refreshTokens(client, held.refreshToken);
    switch (answer.outcome) {
      case "tokens": {
        const { expiresAt, accessToken } = answer.tokens;
        const rotation = { from: held.sealed, sealed: await sealTokens(this.env, name, answer.tokens), expiresAt };
        // The provider has forgotten the old tokens: these must not hang on the database alone.
        this.ctx.storage.kv.put("rotation", rotation);
        await this.#write(name, rotation);
        return { outcome: "refreshed", accessToken };
      }
      case "refused":
        await replaceCredential(this.env.DB, name, held, { needsReauth: true });
        return { outcome: "needs-reauth" };
      case "unavailable":
        return { outcome: "unavailable" };
    }
  }

  async #write(name: CredentialName, { from, sealed, expiresAt }: Rotation): Promise<void> {
    await replaceCredential(this.env.DB, name, { sealed: from }, { sealed, expiresAt });
    this.ctx.storage.kv.delete("rotation");
  }
}
