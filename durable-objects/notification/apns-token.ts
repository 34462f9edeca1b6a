// The APNs token object: one per key at the push service, so that all senders use the same
// token. The stored token is sealed.

import { createTokenCache, type IssuedToken } from "../../src/lib/cached-token.ts";
import { createProviderToken, readApns } from "../../src/notification/apns.ts";
import { type Refusal, refuse } from "../../src/rules/refusal.ts";
import { seal, unseal } from "../../src/storage/sealing.ts";
import { getObjectName } from "../object/database.ts";
import { ServiceObject } from "../object/service-object.ts";
import type { ApnsTokenRpc } from "./rpc.ts";

export class ApnsTokenObject extends ServiceObject implements ApnsTokenRpc {
  readonly #token = createTokenCache({
    now: Date.now,
    marginMs: 0,
    issue: () => this.#issue(),
    load: () => this.#load(),
    store: async (token) => {
      this.ctx.storage.kv.put("token", await seal(this.env.SEALING_KEYS, this.#identity, JSON.stringify(token)));
    },
  });

  async token(refused?: string): Promise<string | Refusal> {
    return await this.#token(refused);
  }

  get #identity() {
    return `provider-token:${getObjectName(this.ctx)}`;
  }

  /** If the keys that sealed the token are gone, a new one is issued. */
  async #load(): Promise<IssuedToken | null> {
    const stored = this.ctx.storage.kv.get<string>("token");
    if (stored === undefined) return null;
    const text = await unseal(this.env.SEALING_KEYS, this.#identity, stored).catch(() => null);
    return text === null ? null : (JSON.parse(text) as IssuedToken);
  }

  async #issue(): Promise<IssuedToken | Refusal> {
    const apns = readApns(this.env);
    if ("lacking" in apns) return refuse("SERVICE_UNAVAILABLE", `${apns.lacking.join(", ")} not set.`);
    const unreadable = refuse("SERVICE_UNAVAILABLE", "APNS_PRIVATE_KEY is not a P-256 key in PEM.");
    return await createProviderToken(apns, Date.now()).catch(() => unreadable);
  }
}
