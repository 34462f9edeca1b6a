// The code host token object: one per repository, so that all callers share one request for its
// token. The stored token is sealed.

import { findApp, notSetUp } from "../../src/code-host/code-host.ts";
import { issueInstallationToken } from "../../src/code-host/github/app.ts";
import { recordRepository } from "../../src/code-host/queries.ts";
import { createTokenCache, type IssuedToken } from "../../src/lib/cached-token.ts";
import type { RepositoryRef } from "../../src/project/rules/repository.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { seal, unseal } from "../../src/storage/sealing.ts";
import { ServiceObject } from "../object/service-object.ts";
import type { CodeHostTokenRpc } from "./rpc.ts";

/**
 * How long a name is cached. A missing branch also triggers a lookup, because it looks like a
 * renamed repository, and lookups are more frequent than renames.
 */
const nameHoldsMs = 10_000;
/** A token must remain valid until the end of a push. */
const tokenMarginMs = 5 * 60_000;

export class CodeHostTokenObject extends ServiceObject implements CodeHostTokenRpc {
  #ref: RepositoryRef | null = null;
  /** The repository's last known name at the code host, and when it was read. */
  #named: { name: string; at: number } | null = null;
  #token: ReturnType<typeof createTokenCache> | null = null;

  async token(ref: RepositoryRef, refused?: string): Promise<string | Refusal> {
    // The name may have changed since. The object still opens the same repository.
    this.#ref = ref;
    this.#token ??= this.#open(getIdentity(ref));
    return await this.#token(refused);
  }

  /** The code host returns the name of a repository with each token that is issued for its id. */
  async nameNow(ref: RepositoryRef): Promise<string | null> {
    const isKnown = () => this.#named !== null && Date.now() - this.#named.at < nameHoldsMs;
    if (!isKnown()) {
      const held = await this.token(ref);
      if (!isRefusal(held) && !isKnown()) await this.token(ref, held);
    }
    return this.#named?.name ?? null;
  }

  #open(identity: string) {
    return createTokenCache({
      now: Date.now,
      marginMs: tokenMarginMs,
      issue: () => this.#issue(),
      load: async () => {
        const stored = this.ctx.storage.kv.get<string>("token");
        if (stored === undefined) return null;
        // If the keys that sealed the token are gone, a new one is issued.
        const text = await unseal(this.env.SEALING_KEYS, identity, stored).catch(() => null);
        return text === null ? null : (JSON.parse(text) as IssuedToken);
      },
      store: async (token) => {
        this.ctx.storage.kv.put("token", await seal(this.env.SEALING_KEYS, identity, JSON.stringify(token)));
      },
    });
  }

  async #issue(): Promise<IssuedToken | Refusal> {
    const app = findApp(this.env);
    if (app === null || !this.#ref) return notSetUp;
    const asked = this.#ref;
    const withWorkflows = this.env.CODE_HOST_WORKFLOWS === "on";
    const issued = await issueInstallationToken({ ...app, withWorkflows }, asked);
    if (isRefusal(issued)) return issued;
    const { token, expiresAt, opens } = issued;
    // From now on the project is opened by these ids, even if another repository takes its name.
    if (opens) {
      await recordRepository(this.env.DB, asked, opens);
      this.#named = { name: opens.repository, at: Date.now() };
    }
    return { token, expiresAt };
  }
}

/** The context that a token is sealed for. */
function getIdentity({ repository, repositoryId }: RepositoryRef): string {
  return `code-host-access:${repositoryId ?? repository}`;
}
