// What the frontends of one sandbox may ask of each other across origins. Their addresses are made up here, so that no program can name them in
// its own rules; a preflight carries no cookie, and is answered without it, from what stands in it alone.
import type { Env } from "../env.ts";
import { type PreviewHost, parsePreviewHost } from "./address.ts";

/** The origin of another frontend of the same sandbox, whose page asks; null for every other asker. */
export function siblingOrigin(request: Request, host: PreviewHost, env: Pick<Env, "PREVIEW_DOMAIN">): string | null {
  const origin = request.headers.get("origin") ?? "";
  const asker = parsePreviewHost(URL.parse(origin)?.host ?? "", env.PREVIEW_DOMAIN);
  return asker?.sandboxKey === host.sandboxKey && asker.hostLabel !== host.hostLabel ? origin : null;
}

/** True for the question of a browser whether a page may ask something. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}

/** Tells a browser that it may ask. Whether there is an answer is another matter, for which it needs the cookie. */
export function allowed({ headers }: Request): Response {
  const answer = new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
  for (const what of ["method", "headers"]) {
    const wanted = headers.get(`access-control-request-${what}`);
    if (wanted !== null) answer.headers.set(`access-control-allow-${what === "method" ? "methods" : what}`, wanted);
  }
  return answer;
}

/** Lets the page of an origin read an answer, with what its visitor's cookies open. */
export function readableBy({ headers }: Response, origin: string): void {
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-allow-credentials", "true");
  headers.append("vary", "origin");
}
