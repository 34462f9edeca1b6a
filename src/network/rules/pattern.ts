// The pattern of a host that sandboxes may reach: a name, or `*.` and a name, with or without a
// port.
import { networkHostCharacters } from "../../rules/limits.ts";

export interface HostPattern {
  /** True for the names below `name`, but not `name` itself. */
  isWildcard: boolean;
  /** In lower case, in ASCII, without a dot at its end. */
  name: string;
  /** Null for both. */
  port: 80 | 443 | null;
}

/** Why a text is no pattern. It follows the name of the field. */
interface PatternMistake {
  mistake: string;
}

const nameCharacters = /^[\p{L}\p{M}\p{N}_.-]+$/u;
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Also in hexadecimal, shortened, and as a range: `0x7f.1`, `127.1`, `10.0.0.0/8`. */
const addressText = /^(\[.*|[\d.]+(\/\d+)?|[0-9a-fx.]*0x[0-9a-fx.]*)$/i;
/** Top-level names of private networks, which only a local resolver knows. */
const privateNames = ["localhost", "local", "internal", "intranet", "lan", "home", "corp", "arpa", "onion", "invalid"];

const isAddress: PatternMistake = { mistake: "must be a name: an address is never reached" };
const isNoName: PatternMistake = { mistake: "is no host name" };

/** Parses a pattern that a person wrote. */
export function parsePattern(text: string): HostPattern | PatternMistake {
  const written = text.trim();
  if (written === "") return { mistake: "must not be empty" };
  if (written.length > networkHostCharacters)
    return { mistake: `must have at most ${networkHostCharacters} characters` };
  if (addressText.test(written)) return isAddress;
  if (/[/?#@\\\s]/.test(written)) return { mistake: "must be only a host, without scheme, path or user" };
  const [, host = "", portText] = /^([^:]*)(?::(.*))?$/.exec(written) ?? [];
  if (host === "") return written.includes(":") ? isAddress : isNoName;
  const port = portText === undefined ? null : Number(portText);
  if (port !== null && port !== 80 && port !== 443)
    return { mistake: "has another port: a sandbox reaches only 80 and 443" };
  if (host === "*") return { mistake: "would be every host, which is the mode open" };
  const isWildcard = host.startsWith("*.");
  const bare = isWildcard ? host.slice(2) : host;
  if (bare.includes("*")) return { mistake: "may have `*` only as its first label, as in *.example.com" };
  const name = toAscii(bare);
  if (name === null) return isNoName;
  if (/^[\d.]+$/.test(name)) return isAddress;
  const labels = name.split(".");
  if (!labels.every((one) => label.test(one))) return isNoName;
  if (privateNames.includes(labels.at(-1) ?? "")) return { mistake: "is a name of a private network" };
  if (labels.length < 2)
    return {
      mistake: isWildcard ? `would be every name below ${name}` : "must be a name with a dot, such as example.com",
    };
  return { isWildcard, name, port };
}

/** A pattern in the form in which patterns are compared. */
export function formatPattern({ isWildcard, name, port }: HostPattern): string {
  return `${isWildcard ? "*." : ""}${name}${port === null ? "" : `:${port}`}`;
}

/** True if the pattern includes a host. `host` is in ASCII and lower case. */
export function isInPattern(pattern: HostPattern, host: string, port: number): boolean {
  if (pattern.port !== null && pattern.port !== port) return false;
  return pattern.isWildcard ? host.endsWith(`.${pattern.name}`) : host === pattern.name;
}

/** A name as the resolver gets it; null if it is none. */
function toAscii(name: string): string | null {
  if (!nameCharacters.test(name)) return null;
  const url = URL.parse(`http://${name}/`);
  return url === null ? null : withoutLastDot(url.hostname);
}

/** `example.com.` and `example.com` are the same host. */
export function withoutLastDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}
