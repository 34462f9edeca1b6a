// What the next step of a sign-in needs. It rests sealed with the attempt, under the hash of its login token.
import type { Env } from "../../env.ts";
import { seal, unseal } from "../../storage/sealing.ts";
import type { BrowserSecrets } from "./browser-flow.ts";
import type { NewTokens } from "./token-endpoint.ts";

export type AttemptStep =
  | ({ type: "browser" } & BrowserSecrets)
  | { type: "device"; deviceCode: string }
  /** The provider has issued the tokens. The login is not stored yet, so that a service that is killed here loses nothing. */
  | { type: "tokens"; tokens: NewTokens };

export function sealStep(env: Pick<Env, "SEALING_KEYS">, tokenHash: string, step: AttemptStep): Promise<string> {
  return seal(env.SEALING_KEYS, identityOf(tokenHash), JSON.stringify(step));
}

export async function openStep(
  env: Pick<Env, "SEALING_KEYS">,
  { tokenHash, sealed }: { tokenHash: string; sealed: string },
): Promise<AttemptStep> {
  return JSON.parse(await unseal(env.SEALING_KEYS, identityOf(tokenHash), sealed));
}

const identityOf = (tokenHash: string) => `sign-in-attempt:${tokenHash}`;
