// A branch: what a session's own is called, and which names can be one's at all.
import { slugOf } from "../slug.ts";

const slugLength = 40;

/** `svc/<slug of title>-<6 of id>` (decisions, "Chat sessions"). The last six of a UUIDv7 are its random part. */
export function branchName(title: string, sessionId: string): string {
  return `svc/${slugOf(title, { most: slugLength, fallback: "session" })}-${sessionId.slice(-6)}`;
}

/** What git has a meaning of its own for, wherever it stands in a name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them, so they are named.
const reserved = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\//;

/** True for a name that git gives to branches, and that it cannot take for an option, a range or another ref. */
export function isBranchName(name: string): boolean {
  if (name === "" || name === "@" || reserved.test(name)) return false;
  if (/^[-/]/.test(name) || /[./]$/.test(name)) return false;
  return name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}
