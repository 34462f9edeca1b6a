// The code host access object: one per repository, so that its token is asked for once, however many need it. The stored token is sealed.
import { DurableObject } from "cloudflare:workers";
import { cachedAccessToken } from "../../src/code-host/access-token.ts";
import { type InstallationToken, issueInstallationToken } from "../../src/code-host/github/app.ts";
import type { Env } from "../../src/env.ts";
import { type Refusal, refuse } from "../../src/rules/refusal.ts";
import { seal, unseal } from "../../src/storage/sealing.ts";
import type { CodeHostAccessRpc } from "./rpc.ts";

export class CodeHostAccessObject extends DurableObject<Env> implements CodeHostAccessRpc {
  #tokens: { repository: string; token: ReturnType<typeof cachedAccessToken> } | null = null;

  /** A token for the repository, other than the one that the code host refused. */
  async token(repository: string, refused?: string): Promise<string | Refusal> {
    if (this.#tokens?.repository !== repository) this.#tokens = { repository, token: this.#open(repository) };
    return await this.#tokens.token(refused);
  }

  #open(repository: string) {
    const { CODE_HOST_API_URL: apiUrl, CODE_HOST_APP_ID: appId, CODE_HOST_APP_PRIVATE_KEY: privateKey } = this.env;
    const identity = `code-host-access:${repository}`;
    return cachedAccessToken({
      now: Date.now,
      async issue() {
        if (!appId || !privateKey) return refuse("SERVICE_UNAVAILABLE", "No code host app is set up.");
        return await issueInstallationToken({ apiUrl, appId, privateKey }, repository);
      },
      load: async () => {
        const stored = this.ctx.storage.kv.get<string>("token");
        if (stored === undefined) return null;
        // A token that was sealed with keys that are gone is issued again.
        const text = await unseal(this.env.SEALING_KEYS, identity, stored).catch(() => null);
        return text === null ? null : (JSON.parse(text) as InstallationToken);
      },
      store: async (token) => {
        this.ctx.storage.kv.put("token", await seal(this.env.SEALING_KEYS, identity, JSON.stringify(token)));
      },
    });
  }
}
