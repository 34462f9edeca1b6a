// Finishes a sign-in at a model provider, in the object of its login: two calls at once connect once.
import { loginObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import { providers } from "../../model/providers.ts";
import { isRefusal, type Refusal, refuseField } from "../../rules/refusal.ts";
import { keyHash } from "../../storage/key-hash.ts";
import { tellTurnsOfPayer } from "../invalidate-payer.ts";
import { findAttempt } from "../queries/connect-attempts.ts";
import { ownAttempt, type SignInAnswer, type SignInClaim } from "../rules/connect.ts";
import { revokeBehindAnswer } from "./revoke.ts";

/** `code` is what the person brought back from the browser. BAD_REQUEST for a login token that is unknown or another's. */
export async function finishSignIn(
  env: Env,
  claim: SignInClaim,
  { loginToken, code }: { loginToken: string; code?: string | undefined },
): Promise<SignInAnswer | Refusal> {
  if (code === undefined && providers[claim.provider].connectsBy === "browser")
    return refuseField("code", "is required");
  const tokenHash = await keyHash(loginToken);
  const attempt = await findAttempt(env.DB, tokenHash);
  const own = ownAttempt(attempt, claim);
  if (isRefusal(own)) return own;
  const answer = (await loginObject(env, own.name).finishSignIn(tokenHash, code ?? null)) as SignInAnswer | Refusal;
  const { owner } = own.name;
  if (!isRefusal(answer) && answer.authenticated && owner.type === "workspace") await tellTurnsOfPayer(env, owner.id);
  // The login of another account may have given way, or the new one was not kept.
  if (isRefusal(answer) || answer.authenticated) revokeBehindAnswer(env);
  return answer;
}
