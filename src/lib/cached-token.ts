// A shared token: concurrent calls that need a new one share a single request.
import { isRefusal, type Refusal } from "../rules/refusal.ts";

/** A token with which the service authenticates to another service. */
export interface IssuedToken {
  token: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

export interface TokenSource {
  /** Creates or requests a new token. */
  issue(): Promise<IssuedToken | Refusal>;
  /** Loads the token that was stored before the object was evicted. */
  load(): Promise<IssuedToken | null>;
  store(token: IssuedToken): Promise<void>;
  now(): number;
  /** The minimum remaining validity of a token that is returned. */
  marginMs: number;
}

/**
 * Returns a function that returns a token with at least `marginMs` of validity. Its argument is a
 * token that the other service rejected, which it does not return again.
 */
export function createTokenCache(source: TokenSource): (refused?: string) => Promise<string | Refusal> {
  let cached: IssuedToken | null = null;
  let loading: Promise<void> | null = null;
  let issuing: Promise<IssuedToken | Refusal> | null = null;

  async function load(): Promise<void> {
    cached = await source.load();
  }

  async function issue(): Promise<IssuedToken | Refusal> {
    const issued = await source.issue();
    if (isRefusal(issued)) return issued;
    cached = issued;
    await source.store(issued);
    return issued;
  }

  return async (refused) => {
    loading ??= load();
    await loading;
    if (cached && cached.token !== refused && cached.expiresAt - source.marginMs > source.now()) return cached.token;
    issuing ??= issue().finally(() => {
      issuing = null;
    });
    const issued = await issuing;
    return isRefusal(issued) ? issued : issued.token;
  };
}
