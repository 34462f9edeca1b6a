// The credentials of the practice provider: access tokens of its logins until they expire, and keys that start with `sk-practice-`. A few such
// keys stand for failing logins.
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

/** Checks the key of a request, which is sent as `x-api-key` or as a bearer token. */
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
