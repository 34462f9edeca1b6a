// Transport security: where the service is reached over TLS, browsers are told to use nothing else on its hosts.
import type { Env } from "../env.ts";

const aYear = 365 * 24 * 60 * 60;

/** Adds the header to an answer of any host; none where the service has no TLS, as on one machine. */
export function demandTls(headers: Headers, { PUBLIC_URL }: Pick<Env, "PUBLIC_URL">): void {
  if (PUBLIC_URL.startsWith("https:")) headers.set("strict-transport-security", `max-age=${aYear}`);
}
