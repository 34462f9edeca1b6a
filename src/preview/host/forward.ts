// Rewrites a visitor's request for the previewed service: it loses the headers and cookies of Switchyard and of its platform.
import { holdsOwnCredential, sessionCookie } from "../../key/credential.ts";
import { authTokenCookie, authTokenParam, type PortGrant } from "./address.ts";
import { previewGrantHeader, previewPortHeader } from "./forward-request.ts";

/** Headers of the platform, which would reveal the visitor or the network path to a service. */
const platformHeaders =
  /^(cf-|mf-|x-preview-|x-sandbox-)|^(cdn-loop|true-client-ip|x-real-ip|forwarded|x-forwarded-(for|port|server))$/;
const ownCookies = [`${authTokenCookie}=`, `${sessionCookie}=`];

/** Returns the request to forward to `url`, for the port of a grant. */
export function rewriteRequest(request: Request, url: URL, { port, ...grant }: PortGrant): Request {
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()]) if (platformHeaders.test(name)) headers.delete(name);
  headers.set(previewPortHeader, String(port));
  headers.set(previewGrantHeader, JSON.stringify(grant));
  headers.set("x-forwarded-host", url.host);
  // Without a word the runtime asks for compressed content, which a visitor that named none cannot read.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  headers.set("x-forwarded-proto", url.protocol.replace(":", ""));
  // Any other credential is for the previewed service.
  if (holdsOwnCredential(headers.get("authorization") ?? "")) headers.delete("authorization");
  const cookies = allCookies(request).filter((cookie) => !ownCookies.some((own) => cookie.startsWith(own)));
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
  else headers.delete("cookie");
  const referrer = URL.parse(headers.get("referer") ?? "");
  if (referrer?.searchParams.has(authTokenParam)) {
    referrer.search = withoutToken(referrer.search);
    headers.set("referer", referrer.href);
  }
  return new Request(url, new Request(request, { headers, redirect: "manual" }));
}

/** Returns a query without the Auth Token and otherwise unchanged: `?import` and `?import=` differ for some services. */
export function withoutToken(search: string): string {
  const parts = search.slice(1).split("&");
  // The name may be percent-encoded. The `&` keeps a part that begins with `?` as it is.
  return parts.filter((part) => !new URLSearchParams(`&${part}`).has(authTokenParam)).join("&");
}

/** Returns the values of all cookies with a name. */
export function cookiesOf(request: Request, name: string): string[] {
  return allCookies(request)
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1));
}

function allCookies(request: Request): string[] {
  return (request.headers.get("cookie") ?? "").split(/;\s*/).filter((cookie) => cookie !== "");
}
