// Calls to GitHub's API, with authorization, a deadline, and retries if another attempt can
// succeed.

import { readErrorText, readResponseJson } from "../../lib/response-body.ts";
import { wait } from "../../lib/timeout.ts";
import { getBackoffMs } from "../../rules/backoff.ts";
import { codeHostResponseBytes } from "../../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";

/**
 * Returns a token. If GitHub responds with 401, it is called again with the rejected token, which
 * may have expired.
 */
export type Credential = (refused?: string) => Promise<string | Refusal>;

export interface GithubConnection {
  apiUrl: string;
  credential: Credential;
}

export interface GithubCall {
  method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT";
  path: string;
  body?: unknown;
  /** True for a call that would act again if it were repeated. Its caller looks before the next. */
  isOnce?: true;
}

/** Calls GitHub and parses the JSON response. It is not validated against `Answer`. */
export type CallGithub = <Answer>(call: GithubCall, signal: AbortSignal) => Promise<Answer | Refusal>;

const attemptsMax = 3;
/** A rate limit that is longer than the maximum is not waited for, but returned immediately. */
const pauses = { firstMs: 200, longestMs: 2_000 };
const messageCharacters = 300;

export const noAnswer = refuse("SERVICE_UNAVAILABLE", "The code host does not answer. Try again shortly.");
export const noAccess = refuse(
  "SERVICE_UNAVAILABLE",
  "The code host refuses the service's access. Install the service's app for the repository there again.",
);

const pageSize = 100;
const pagesMax = 20;

/** Reads all pages of a list, at most 2,000 items. `path` may have a query. */
export async function readPages<Answer, Item>(
  call: CallGithub,
  path: string,
  listItems: (answer: Answer) => Item[],
  signal: AbortSignal,
): Promise<Item[] | Refusal> {
  const items: Item[] = [];
  for (let page = 1; page <= pagesMax; page++) {
    const query = `${path.includes("?") ? "&" : "?"}per_page=${pageSize}&page=${page}`;
    const answer = await call<Answer>({ method: "GET", path: path + query }, signal);
    if (isRefusal(answer)) return answer;
    const found = listItems(answer);
    items.push(...found);
    if (found.length < pageSize) break;
  }
  return items;
}

/** The GraphQL URL: below the REST API on github.com, next to it on an Enterprise Server. */
export function getGraphqlUrl(apiUrl: string): string {
  return `${apiUrl.replace(/(\/api)\/v3$/, "$1")}/graphql`;
}

/** Returns the function that calls GitHub. It retries, so each call is idempotent or `isOnce`. */
export function createGithubCall(connection: GithubConnection): CallGithub {
  const ask = createGithubResponseCall(connection);
  return async function call<Answer>(wanted: GithubCall, signal: AbortSignal): Promise<Answer | Refusal> {
    const answer = await ask(wanted, signal);
    return isRefusal(answer)
      ? answer
      : await readResponseJson<Answer>(answer, codeHostResponseBytes).catch(() => noAnswer);
  };
}

/** Like `createGithubCall`, for callers that need more of the response than its JSON. */
export function createGithubResponseCall({ apiUrl, credential }: GithubConnection) {
  async function attempt(
    { method, path, body }: GithubCall,
    token: string,
    signal: AbortSignal,
  ): Promise<Response | null> {
    const headers = {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "user-agent": "switchyard",
      "x-github-api-version": "2022-11-28",
    };
    const init = { method, headers, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    try {
      return await fetch(path === "/graphql" ? getGraphqlUrl(apiUrl) : apiUrl + path, init);
    } catch {
      return null;
    }
  }

  return async function ask(wanted: GithubCall, signal: AbortSignal): Promise<Response | Refusal> {
    let token = await credential();
    let isRenewed = false;
    for (let attempts = 1; ; attempts++) {
      if (isRefusal(token)) return token;
      const answer = await attempt(wanted, token, signal);
      if (answer?.status === 401 && !isRenewed) {
        isRenewed = true;
        await answer.body?.cancel();
        token = await credential(token);
        continue;
      }
      if (answer?.ok) return answer;
      const failure = answer ? await readFailure(answer, Date.now()) : { refusal: noAnswer, pauseMs: 0 };
      const { refusal, pauseMs } = failure;
      const isRetried = pauseMs !== null && pauseMs <= pauses.longestMs && attempts < attemptsMax && !wanted.isOnce;
      if (!isRetried || signal.aborted) return refusal;
      await wait(Math.max(pauseMs, getBackoffMs(attempts, pauses)), signal);
    }
  };
}

/**
 * `pauseMs` is the minimum time before another attempt; null if another attempt would fail the same
 * way.
 */
async function readFailure(answer: Response, now: number): Promise<{ refusal: Refusal; pauseMs: number | null }> {
  const { status, headers } = answer;
  const text = await readErrorText(answer);
  const limitedMs = status === 403 || status === 429 ? rateLimitMs(headers, text, now) : null;
  if (limitedMs !== null) return { refusal: refuseRateLimit(limitedMs), pauseMs: limitedMs };
  if (status === 401 || status === 403) return { refusal: noAccess, pauseMs: null };
  if (status === 404) {
    const refusal = refuse("NOT_FOUND", "The code host has no such repository, branch or pull request.");
    return { refusal, pauseMs: null };
  }
  if (status >= 400 && status < 500 && status !== 429)
    return { refusal: refuse("BAD_REQUEST", `The code host refused: ${findReason(text)}`), pauseMs: null };
  return { refusal: noAnswer, pauseMs: 0 };
}

/** The remaining time of a rate limit; null if the request was refused for another reason. */
function rateLimitMs(headers: Headers, text: string, now: number): number | null {
  const after = Number(headers.get("retry-after") ?? Number.NaN);
  if (Number.isFinite(after)) return after * 1_000;
  // GitHub's secondary rate limit has no end time. Its documentation requests a pause of at least a
  // minute.
  if (headers.get("x-ratelimit-remaining") !== "0") return /secondary rate limit/i.test(text) ? 60_000 : null;
  const reset = Number(headers.get("x-ratelimit-reset") ?? Number.NaN) * 1_000;
  return Number.isFinite(reset) ? Math.max(0, reset - now) : 60_000;
}

/** The refusal for a rate limit. */
export function refuseRateLimit(ms: number): Refusal {
  const retryAfterSeconds = Math.max(1, Math.ceil(ms / 1_000));
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const wait = retryAfterSeconds < 60 ? `${retryAfterSeconds} s` : `${minutes} min`;
  const message = `The code host accepts no more requests from the service for now. Try again in ${wait}.`;
  return { ...refuse("SERVICE_UNAVAILABLE", message), retryAfterSeconds };
}

function findReason(text: string): string {
  try {
    const { message, errors = [] } = JSON.parse(text) as { message?: unknown; errors?: { message?: unknown }[] };
    const reasons = [message, ...errors.map((error) => error.message)].filter((each) => typeof each === "string");
    return reasons.join(" ").slice(0, messageCharacters) || "no reason given";
  } catch {
    return "no reason given";
  }
}
