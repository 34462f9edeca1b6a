// The credentials of the practice provider: access tokens of its logins, and keys that start with
// `sk-practice-`. The rest of the key, or the start of an account's address, selects a fault of the
// login.
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Failure } from "./failure.ts";
import type { Tokens } from "./sign-in/tokens.ts";

export interface PracticeCredential {
  /** The key or the token. */
  secret: string;
  /** Stays the same for an account, whatever its token. */
  account: string;
  /** The address of an account; null for a key. */
  address: string | null;
  /** Selects the fault; null for an invalid or expired credential. */
  name: string | null;
}

/** A failure that replaces the model's response. */
export type Trouble =
  | { when: "at-once" | "as-stream" | "midway"; failure: Failure }
  /** The account has ended permanently. */
  | { when: "revoked"; failure: Failure };

export const keyStart = "sk-practice-";
/** For a person who connects another key. */
export const keyHint = `This is the practice provider. Its keys begin with ${keyStart}, such as ${keyStart}1.`;

/** Reads the credential of a request, which is sent as `x-api-key` or as a bearer token. */
export function readCredential(headers: IncomingHttpHeaders, tokens: Tokens): PracticeCredential {
  const secret = readSecret(headers);
  const login = tokens.findLogin(secret);
  const account = digest(login === null ? secret.replace(/^practice-access-\d+-(\w+)\.\d+$/, "$1") : login.address);
  const address = login?.address ?? null;
  const isKey = secret.startsWith(keyStart);
  if (!isKey && !tokens.isGood(secret)) return { secret, account, address, name: null };
  const name = isKey ? secret : (address ?? "");
  return { secret, account, address, name: name.startsWith(keyStart) ? name.slice(keyStart.length) : name };
}

function readSecret(headers: IncomingHttpHeaders): string {
  const apiKey = headers["x-api-key"];
  if (typeof apiKey === "string" && apiKey !== "") return apiKey;
  return /^bearer\s+(.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** True for a text that no provider would accept as a credential. */
export function isUnknown({ name }: PracticeCredential): boolean {
  return name === null || name.startsWith("refused");
}

export interface TroubledCall {
  provider: string;
  model: string;
  /** The number of the model's responses in the conversation. */
  answers: number;
  /** True if the call only tests the key. */
  isTrial: boolean;
}

/** The fault of a credential at a call; null for none. */
export function findTrouble(name: string | null, { provider, model, answers, isTrial }: TroubledCall): Trouble | null {
  const limit: Failure = { kind: "limit_reached", provider };
  const unknown: Failure = { kind: "unknown_key" };
  if (name === null) return { when: "at-once", failure: unknown };
  if (name.startsWith("basic")) return { when: "at-once", failure: { kind: "model_not_included", model } };
  const [, what, count] = /^(limit|revoked)-after-(\d+)/.exec(name) ?? [];
  if (what !== undefined && count !== undefined) {
    if (answers < Number(count)) return null;
    return what === "limit" ? { when: "at-once", failure: limit } : { when: "revoked", failure: { kind: "revoked" } };
  }
  if (name.startsWith("expired")) return isTrial ? null : { when: "at-once", failure: unknown };
  if (name.startsWith("limit-stream")) return isTrial ? null : { when: "as-stream", failure: limit };
  if (name.startsWith("limit-midway")) return isTrial ? null : { when: "midway", failure: limit };
  return name.startsWith("limit") ? { when: "at-once", failure: limit } : null;
}
