// The answer of a service as the visitor of its preview gets it: on this host alone, kept by nobody on the way, and fit for a frame.
import { authTokenCookie } from "./address.ts";

const loopback = ["localhost", "127.0.0.1", "0.0.0.0", "[::1]"];
/** What would have somebody on the way keep an answer that can be revoked, lead past the preview host, or keep it out of a share page. */
const withheld = [
  "cdn-cache-control",
  "cloudflare-cdn-cache-control",
  "surrogate-control",
  "alt-svc",
  "expires",
  "x-frame-options",
];

const originKinds = ['"cache"', '"storage"', '"executionContexts"'];

/** The answer to hand on, of the service at this port of the sandbox. */
export function answered(answer: Response, port: number): Response {
  const response = new Response(answer.body, answer);
  const { headers } = response;
  for (const name of withheld) headers.delete(name);
  headers.set("cache-control", forOneVisitor(headers.get("cache-control")));
  const policy = headers.get("content-security-policy");
  if (policy !== null) setOrDelete(headers, "content-security-policy", withoutFrameRule(policy));
  const cleared = headers.get("clear-site-data");
  if (cleared !== null) setOrDelete(headers, "clear-site-data", ofThisOrigin(cleared));
  const location = headers.get("location");
  if (location !== null) headers.set("location", onThisHost(location, port));
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) {
    headers.delete("set-cookie");
    for (const cookie of cookies) if (!isOurs(cookie)) headers.append("set-cookie", hostOnly(cookie));
  }
  return response;
}

/** A shared cache would serve an answer to visitors whose token has ended, and a browser's own to one who was shut out: it has to ask. */
function forOneVisitor(directives: string | null): string {
  const given = (directives ?? "").split(",").map((directive) => directive.trim().toLowerCase());
  if (given.includes("no-store")) return "no-store";
  return given.includes("no-transform") ? "private, no-cache, no-transform" : "private, no-cache";
}

/** What a browser clears for one origin. It clears cookies for the whole site, which is that of all previews. */
function ofThisOrigin(cleared: string): string {
  const kinds = cleared.split(",").map((kind) => kind.trim());
  return originKinds.filter((kind) => kinds.includes(kind) || kinds.includes('"*"')).join(", ");
}

function withoutFrameRule(policy: string): string {
  const rules = policy
    .split(",")
    .map((one) => one.split(";").filter((rule) => !/^\s*frame-ancestors(\s|$)/i.test(rule)));
  return rules
    .map((one) => one.join(";").trim())
    .filter((one) => one !== "")
    .join(", ");
}

/** A service may take its own port for where its visitors are. */
function onThisHost(location: string, port: number): string {
  // One that leaves out the scheme has that of the visitor.
  const url = URL.parse(/^[/\\]{2}/.test(location) ? `http:${location}` : location);
  if (!url || !/^https?:$/.test(url.protocol) || !loopback.includes(url.hostname) || url.port !== String(port))
    return location;
  return url.pathname.replace(/^\/+/, "/") + url.search + url.hash;
}

const isOurs = (cookie: string) => cookie.trimStart().startsWith(`${authTokenCookie}=`);

/** A cookie of the whole preview domain would reach the previews of others. */
function hostOnly(cookie: string): string {
  const [pair = "", ...attributes] = cookie.split(";");
  return [pair, ...attributes.filter((attribute) => !/^\s*domain\s*(=|$)/i.test(attribute))].join(";");
}

function setOrDelete(headers: Headers, name: string, value: string): void {
  if (value === "") headers.delete(name);
  else headers.set(name, value);
}
