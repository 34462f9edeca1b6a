// Sign-in without a proof of identity, in one-machine mode only. Opens a browser session of the
// named user.
import * as z from "zod";
import type { Env } from "../env.ts";
import { readJson } from "../http/body.ts";
import { ok, toRefusalResponse, toResponse } from "../http/response.ts";
import { check } from "../http/validation.ts";
import { createSessionCookie } from "../key/credential.ts";
import { issueBrowserSession } from "../key/queries/browser-sessions.ts";
import { isFromOwnPage } from "../key/same-origin.ts";
import { browserSessionMs } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";

const signInBody = z.strictObject({ userId: z.string() });

/** Handles `POST /dev/sign-in`. */
export async function handleDevSignIn(request: Request, env: Env): Promise<Response> {
  const signedIn = await signIn(request, env);
  if (isRefusal(signedIn)) return toRefusalResponse(signedIn);
  const answer = toResponse(ok({ userId: signedIn.userId }));
  answer.headers.set("set-cookie", createSessionCookie(signedIn.token, browserSessionMs));
  return answer;
}

async function signIn(request: Request, env: Env): Promise<{ userId: string; token: string } | Refusal> {
  // Prevents cross-site request forgery. Only browsers send an Origin.
  if (request.headers.has("origin") && !isFromOwnPage(request, env.PUBLIC_URL)) return refuse("FORBIDDEN");
  const read = await readJson(request);
  if (isRefusal(read)) return read;
  const body = check(signInBody, read.json, "VALIDATION_ERROR");
  if (isRefusal(body)) return body;
  const { userId } = body.value;
  const token = await issueBrowserSession(env.DB, userId, Date.now());
  return token === null ? refuse("NOT_FOUND", "There is no such user.") : { userId, token };
}
