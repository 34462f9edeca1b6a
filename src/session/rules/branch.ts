// Branch names: the name of a session's branch, and the names that git allows.
import { slugOf } from "../../rules/slug.ts";

const slugLength = 40;

/** `svc/<slug of title>-<6 of id>` (decisions, "Chat sessions"). The last six of a UUIDv7 are its random part. */
export function branchName(title: string, sessionId: string): string {
  return `svc/${slugOf(title, { most: slugLength, fallback: "session" })}-${sessionId.slice(-6)}`;
}

/** Characters and sequences that git reserves anywhere in a name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them, so they are named.
const reserved = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\//;

/** True for a valid branch name that git cannot mistake for an option, a range or another ref. */
export function isBranchName(name: string): boolean {
  if (name === "" || name === "@" || reserved.test(name) || !name.isWellFormed()) return false;
  if (/^[-/]/.test(name) || /[./]$/.test(name)) return false;
  return name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}
