// The account page at `/account`, where a sign-in ends, and the page in the place of a refusal for people whose sign-in failed.
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

/** A refusal as a page, for a browser that shows it; anything else as it is. */
export async function shownToPeople(request: Request, answer: Response): Promise<Response> {
  if (answer.status < 400 || !request.headers.get("accept")?.includes("text/html")) return answer;
  const { error } = await answer.json<{ error: string }>();
  return failedSignInPage(error, answer.status);
}
