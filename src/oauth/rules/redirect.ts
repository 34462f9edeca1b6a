// The addresses to which a browser is sent back with a code. Only addresses that the client
// registered are used, and the page of the consent names where they lead.

const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];
/** Schemes that a browser runs, shows or fetches itself. All others are handed to a program. */
const reservedSchemes =
  /^(about|blob|chrome|chrome-extension|data|file|filesystem|ftp|http|https|intent|javascript|mailto|moz-extension|resource|sms|tel|vbscript|view-source|ws|wss):$/;

const hostShape = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?$/;

/** Says what is wrong with an address that a client registers; null if nothing is. */
export function checkRedirectUri(text: string): string | null {
  if (!URL.canParse(text)) return "is not an absolute URI";
  const url = new URL(text);
  if (text.includes("#")) return "has a fragment";
  if (url.username !== "" || url.password !== "") return "has a user name";
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  // A host may hold signs that end a directive of a Content-Security-Policy.
  if (isWeb && !hostShape.test(url.host)) return "has a host that is no name";
  if (url.protocol === "https:") return null;
  if (url.protocol === "http:") return isLoopbackUrl(url) ? null : "is http, and not on the person's own machine";
  return reservedSchemes.test(url.protocol) ? "has a scheme that belongs to no program" : null;
}

const isLoopbackUrl = ({ protocol, hostname }: URL) => protocol === "http:" && loopbackHosts.includes(hostname);

/**
 * True if a client registered the address. A program on the person's machine chooses its port when
 * it starts, so that the port of such an address may be any (RFC 8252, section 7.3).
 */
export function isRegisteredRedirect(registered: readonly string[], asked: string): boolean {
  if (registered.includes(asked)) return true;
  const withoutPort = toPortless(asked);
  return withoutPort !== null && registered.some((one) => toPortless(one) === withoutPort);
}

function toPortless(text: string): string | null {
  if (checkRedirectUri(text) !== null) return null;
  const url = new URL(text);
  if (!isLoopbackUrl(url)) return null;
  url.port = "";
  return url.href;
}

export interface RedirectTarget {
  /** True for a program on the person's own machine. */
  isLocal: boolean;
  /** The host, or the scheme by which a program is opened. */
  name: string;
  /** The source that a Content-Security-Policy allows a form to lead to. */
  policySource: string;
}

/** Where a checked address leads. */
export function getRedirectTarget(redirectUri: string): RedirectTarget {
  const url = new URL(redirectUri);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return { isLocal: true, name: url.protocol, policySource: url.protocol };
  // A policy has no form for IPv6 addresses.
  const policySource = url.hostname.startsWith("[") ? url.protocol : url.origin;
  return { isLocal: isLoopbackUrl(url), name: url.host, policySource };
}
