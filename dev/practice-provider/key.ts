// Which credentials the practice provider accepts: access tokens of its logins until they expire, and keys that start with `sk-practice-`,
// save a few that stand for a login in trouble.
import type { IncomingHttpHeaders } from "node:http";
import { isGoodAccessToken } from "./oauth.ts";

export type KeyVerdict = "good" | "basic" | "at_limit" | "unknown";

const troubled: [prefix: string, verdict: KeyVerdict][] = [
  ["sk-practice-refused", "unknown"],
  ["sk-practice-expired", "unknown"],
  ["sk-practice-basic", "basic"],
  ["sk-practice-limit", "at_limit"],
  ["sk-practice-", "good"],
];

/** What the key of a request, sent as `x-api-key` or as a bearer credential, is worth. */
export function keyVerdict(headers: IncomingHttpHeaders): KeyVerdict {
  const key = keyIn(headers);
  if (isGoodAccessToken(key)) return "good";
  return troubled.find(([prefix]) => key.startsWith(prefix))?.[1] ?? "unknown";
}

function keyIn(headers: IncomingHttpHeaders): string {
  const apiKey = headers["x-api-key"];
  if (typeof apiKey === "string" && apiKey !== "") return apiKey;
  return /^bearer\s+(.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}
