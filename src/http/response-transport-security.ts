// Strict-Transport-Security: if the service is served over TLS, browsers must use TLS on all its hosts.
import type { Env } from "../env.ts";

const aYear = 365 * 24 * 60 * 60;

/** Adds the header to a response. Does nothing if the service has no TLS, as on one machine. */
export function demandTls(headers: Headers, { PUBLIC_URL }: Pick<Env, "PUBLIC_URL">): void {
  if (PUBLIC_URL.startsWith("https:")) headers.set("strict-transport-security", `max-age=${aYear}`);
}
