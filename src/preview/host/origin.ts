// CORS between the frontends of one sandbox. A project cannot know its preview origins in advance, so it cannot allow them itself. A
// preflight carries no cookie, so it is answered without authorization.
import type { Env } from "../../env.ts";
import { type PreviewHost, parsePreviewOrigin } from "./address.ts";

/** Returns the request's origin if it is another frontend of the same sandbox, else null. */
export function corsOrigin(
  request: Request,
  host: PreviewHost,
  env: Pick<Env, "PREVIEW_DOMAIN" | "PUBLIC_URL">,
): string | null {
  const origin = request.headers.get("origin") ?? "";
  const from = parsePreviewOrigin(origin, env);
  return from?.sandboxKey === host.sandboxKey && from.hostLabel !== host.hostLabel ? origin : null;
}

/** True for a CORS preflight. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}

/** Returns a response that allows everything that a preflight asks for. The request itself needs the cookie. */
export function preflightResponse({ headers }: Request): Response {
  const answer = new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
  for (const what of ["method", "headers"]) {
    const wanted = headers.get(`access-control-request-${what}`);
    if (wanted !== null) answer.headers.set(`access-control-allow-${what === "method" ? "methods" : what}`, wanted);
  }
  return answer;
}

/** Lets pages of an origin read a response to a request with credentials. */
export function allowOrigin({ headers }: Response, origin: string): void {
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-allow-credentials", "true");
  headers.append("vary", "origin");
}
