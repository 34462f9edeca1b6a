// A cache of one repository's access token. Calls that need a new token at the same time share one request to the code host.
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import type { InstallationToken } from "./github/app.ts";

export interface TokenSource {
  /** Requests a new token from the code host. */
  issue(): Promise<InstallationToken | Refusal>;
  /** Loads the token that was stored before the object was evicted. */
  load(): Promise<InstallationToken | null>;
  store(token: InstallationToken): Promise<void>;
  now(): number;
}

/** A token has to stay valid until the end of a push. */
const expiryMarginMs = 5 * 60_000;

/**
 * Returns a function that returns a token valid for at least five more minutes. Its argument is a token that the code host refused, which
 * it does not return again.
 */
export function cachedAccessToken(source: TokenSource): (refused?: string) => Promise<string | Refusal> {
  let cached: InstallationToken | null = null;
  let loading: Promise<void> | null = null;
  let issuing: Promise<InstallationToken | Refusal> | null = null;

  async function load(): Promise<void> {
    cached = await source.load();
  }

  async function issue(): Promise<InstallationToken | Refusal> {
    const issued = await source.issue();
    if (isRefusal(issued)) return issued;
    cached = issued;
    await source.store(issued);
    return issued;
  }

  return async (refused) => {
    loading ??= load();
    await loading;
    if (cached && cached.token !== refused && cached.expiresAt - expiryMarginMs > source.now()) return cached.token;
    issuing ??= issue().finally(() => {
      issuing = null;
    });
    const issued = await issuing;
    return isRefusal(issued) ? issued : issued.token;
  };
}
