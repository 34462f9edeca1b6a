// The account page at `/account`, to which a sign-in returns, and the error page of a failed sign-in.
import type { Env } from "../../env.ts";
import { authenticate } from "../../http/authenticate.ts";
import { apiKeysOf } from "../../key/queries.ts";
import { apiKeyOnWire } from "../../key/wire.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { codeHostIdentityOf } from "../queries-code-host-identities.ts";
import { accountPage, failedSignInPage } from "./account.tsx";

/** Answers `GET /account`. */
export async function showAccount(request: Request, env: Env): Promise<Response> {
  const known = await authenticate(env, request, { action: "code-host.connect", noun: "none", params: {} }, Date.now());
  const user = isRefusal(known) ? null : known.caller.user;
  if (!user) return accountPage(null);
  const [identity, keys] = await Promise.all([codeHostIdentityOf(env.DB, user.id), apiKeysOf(env.DB, user.id)]);
  const { name, email } = user;
  return accountPage({ name, email, login: identity?.login ?? null, keys: keys.map(apiKeyOnWire) });
}

/** Turns a refusal into a page if a browser is going to show it. Other answers are returned unchanged. */
export async function shownToPeople(request: Request, answer: Response): Promise<Response> {
  if (answer.status < 400 || !request.headers.get("accept")?.includes("text/html")) return answer;
  const { error } = await answer.json<{ error: string }>();
  return failedSignInPage(error, answer.status);
}
