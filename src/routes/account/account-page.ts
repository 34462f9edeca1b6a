// The account page at `/account`, to which a sign-in returns, and the error page of a failed sign-in.
import type { Env } from "../../env.ts";
import { authenticate } from "../../http/authenticate.ts";
import { accountPage, failedSignInPage } from "../../pages/account.tsx";
import { isRefusal } from "../../rules/refusal.ts";
import { codeHostIdentityOf } from "../../storage/queries/code-host-identities.ts";

/** Answers `GET /account`. */
export async function showAccount(request: Request, env: Env): Promise<Response> {
  const known = await authenticate(env, request, { action: "code-host.connect", noun: "none", params: {} }, Date.now());
  const user = isRefusal(known) ? null : known.caller.user;
  if (!user) return accountPage(null);
  const identity = await codeHostIdentityOf(env.DB, user.id);
  return accountPage({ name: user.name, email: user.email, login: identity?.login ?? null });
}

/** Turns a refusal into a page if a browser is going to show it. Other answers are returned unchanged. */
export async function shownToPeople(request: Request, answer: Response): Promise<Response> {
  if (answer.status < 400 || !request.headers.get("accept")?.includes("text/html")) return answer;
  const { error } = await answer.json<{ error: string }>();
  return failedSignInPage(error, answer.status);
}
