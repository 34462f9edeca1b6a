// Where a webhook may lead. A rule of names only: what a name resolves to is checked where the
// request leaves, because it can change at any time.

import { webhookUrlCharacters } from "../../rules/limits.ts";
import { type Refusal, refuseMistakes } from "../../rules/refusal.ts";

/** What the service is reached by, and what its operator allows. */
export interface AddressFacts {
  /** The host of the service, with its port if it has one. */
  serviceHost: string;
  previewDomain: string;
  /** True on a machine whose operator lets webhooks reach its own loopback addresses. */
  allowsLoopback: boolean;
}

/** Names that lead into a network, or nowhere. */
const innerNames = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "arpa",
  "test",
  "invalid",
  "onion",
  "home",
  "lan",
  "corp",
];
const ports = ["", "8443"];
/** Of a host (RFC 1035): the longest label, and the longest name. */
const labelCharacters = 63;
const hostCharacters = 253;

const wholeAddress = "is a whole address, such as https://example.com/hooks";

/** Refuses an address that a webhook must not have, by the sentence that says how to fix it. */
export function checkWebhookUrl(url: string, facts: AddressFacts): Refusal | null {
  const message = findAddressMistake(url, facts);
  return refuseMistakes(message === null ? [] : [{ path: "url", message }]);
}

/** What is wrong with an address; null for one that a webhook may have. */
export function findAddressMistake(text: string, facts: AddressFacts): string | null {
  if (text.length > webhookUrlCharacters) return `has at most ${webhookUrlCharacters} characters`;
  const url = URL.parse(text);
  if (url === null) return wholeAddress;
  // The parser of URLs removes some of them, so that the stored text would name another address.
  if (/[\s\p{Cc}]/u.test(text)) return "has no spaces and no control characters";
  // Other parsers of URLs take another part of such a text for the host.
  if (text.includes("\\")) return "has no backslash";
  if (/^https?:(?!\/\/[^/])/i.test(text)) return wholeAddress;
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return "has no user and no password; the signature proves the sender";
  const host = toComparedHost(url.hostname);
  if (facts.allowsLoopback && isLoopback(host)) {
    return url.protocol === "https:" || url.protocol === "http:" ? null : "begins with https:// or http://";
  }
  if (url.protocol !== "https:") return "begins with https://";
  if (!ports.includes(url.port)) return "uses port 443 or 8443";
  if (isFigures(host)) return "names a host, not an IP address";
  if (!host.includes(".")) return "names a public host, with its domain";
  if (!isHostName(host)) return "names a host that can exist";
  const isInner = (name: string) => host === name || host.endsWith(`.${name}`);
  if (innerNames.some(isInner)) return "names a public host, not one of a private network";
  const own = [facts.serviceHost, facts.previewDomain].map((name) => toComparedHost(name.replace(/:\d+$/, "")));
  if (own.some((name) => name !== "" && isInner(name))) return "names another service than this one";
  return null;
}

/** True if the address is a loopback name or address of this machine. */
export function isAtLoopback(text: string): boolean {
  return isLoopback(toComparedHost(URL.parse(text)?.hostname ?? ""));
}

/** True if each label of a name has characters, and none has too many. */
const isHostName = (host: string) =>
  host.length <= hostCharacters &&
  host.split(".").every((label) => label.length > 0 && label.length <= labelCharacters);

/** Without case, and without the dot at the end, which names the same host. */
const toComparedHost = (host: string) => host.toLowerCase().replace(/\.$/, "");

/** An IP address. The URL parser has already read all spellings of IPv4 addresses. */
const isFigures = (host: string) => host.startsWith("[") || /^[\d.]+$/.test(host);

const isLoopback = (host: string) =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
