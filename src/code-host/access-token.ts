// The token of one repository: handed out while it is good, and asked for anew once, however many need it at the same time.
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import type { InstallationToken } from "./github/app.ts";

export interface TokenSource {
  issue(): Promise<InstallationToken | Refusal>;
  /** What was kept in an earlier life. */
  load(): Promise<InstallationToken | null>;
  keep(token: InstallationToken): Promise<void>;
  now(): number;
}

/** A push may last a while. */
const expiryMarginMs = 5 * 60_000;

/** Answers a token that is good for minutes to come; never the one that the code host `refused`. */
export function accessTokens(source: TokenSource): (refused?: string) => Promise<string | Refusal> {
  let held: InstallationToken | null = null;
  let loading: Promise<void> | null = null;
  let issuing: Promise<InstallationToken | Refusal> | null = null;

  async function load(): Promise<void> {
    held = await source.load();
  }

  async function issue(): Promise<InstallationToken | Refusal> {
    const issued = await source.issue();
    if (isRefusal(issued)) return issued;
    held = issued;
    await source.keep(issued);
    return issued;
  }

  return async (refused) => {
    loading ??= load();
    await loading;
    if (held && held.token !== refused && held.expiresAt - expiryMarginMs > source.now()) return held.token;
    issuing ??= issue().finally(() => {
      issuing = null;
    });
    const issued = await issuing;
    return isRefusal(issued) ? issued : issued.token;
  };
}
