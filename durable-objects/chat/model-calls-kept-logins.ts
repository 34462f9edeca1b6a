// The logins that a chat's turn keeps between its model calls. They are in memory alone, sealed as they rest in the database.

import type { ProviderId } from "../../src/model/rules/provider.ts";
import { loginsKeptMs, mayKeepLogins } from "../../src/model-gateway/rules/login-cache.ts";
import type { PayerLogins } from "../../src/provider-login/queries/logins.ts";

/** Whose logins they are, and where. */
export interface LoginsUse {
  workId: string;
  provider: ProviderId;
}

export interface KeptLogins {
  /** Null if they have to be read. */
  find(use: LoginsUse, now: number): PayerLogins | null;
  /** To be called before logins are read. Keeps them, unless they may not be kept, or were changed since. */
  keeper(use: LoginsUse): (logins: PayerLogins) => void;
  forget(): void;
}

/** Keeps the logins of one turn at a time. */
export function openKeptLogins(): KeptLogins {
  let kept: { use: LoginsUse; logins: PayerLogins; at: number } | null = null;
  /** How often they were forgotten. */
  let changes = 0;
  return {
    find({ workId, provider }, now) {
      const isSame = kept?.use.workId === workId && kept.use.provider === provider;
      return kept !== null && isSame && now < kept.at + loginsKeptMs ? kept.logins : null;
    },
    keeper(use) {
      const before = changes;
      const at = Date.now();
      return (logins) => {
        if (changes === before && mayKeepLogins(logins)) kept = { use, logins, at };
      };
    },
    forget() {
      changes += 1;
      kept = null;
    },
  };
}
