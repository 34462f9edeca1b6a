// The headers of a preview's request and response, adapted for a service that was written to run on
// its developer's own machine.
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/** Headers of the platform and of the service, and the credentials between both. */
const ours = /^(cf-|x-sandbox-)/;

/**
 * The headers of a request for a service on `port` of the sandbox. Development servers refuse
 * unknown hosts, so the request names `localhost`; the preview's address is in `X-Forwarded-Host`
 * and `X-Forwarded-Proto`.
 *
 * A form or a WebSocket of the preview's own page sends its origin. Servers compare it with the
 * host to reject requests from foreign pages: some with `Host` (Django, SvelteKit, Astro, webpack,
 * Go's and Python's WebSockets), others with `X-Forwarded-Host` if present (Rails, Next, React
 * Router). Only a request that looks entirely local passes both checks, so such a request names
 * `localhost` in all of them. The origin of any other page is left unchanged, so that the server
 * can refuse it.
 */
export function toServiceHeaders(given: IncomingHttpHeaders, port: number): IncomingHttpHeaders {
  const headers = without(given);
  const host = `localhost:${port}`;
  const { origin, "x-forwarded-host": forwardedHost, "x-forwarded-proto": scheme } = headers;
  // A service on http may run behind a proxy with https, as its previews must for a browser.
  const isOwn =
    forwardedHost !== undefined && [`${scheme}://${forwardedHost}`, `https://${forwardedHost}`].includes(origin ?? "");
  const local = { origin: `http://${host}`, "x-forwarded-host": host, "x-forwarded-proto": "http" };
  return { ...headers, host, ...(isOwn && local) };
}

/**
 * The headers of a service's response. `port` is where the service listens, `declared` the port
 * that its project declared. A redirect to the service itself gets the declared port. A service
 * cannot set the sandbox's own headers.
 */
export function fromServiceHeaders(given: IncomingHttpHeaders, port: number, declared: number): OutgoingHttpHeaders {
  const headers = without(given);
  if (headers.location === undefined) return headers;
  return { ...headers, location: headers.location.replace(ownAddress(port), `$1${declared}`) };
}

const ownAddress = (port: number) =>
  RegExp(`^((?:https?:)?//(?:localhost|127\\.0\\.0\\.1|0\\.0\\.0\\.0|\\[::1?\\]):)${port}(?=[/?#]|$)`, "i");

function without(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ours.test(name)));
}
