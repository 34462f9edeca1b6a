// The parts of Cloudflare's API with which a deployment reads and prepares an account. Wrangler
// does the rest.
import { setTimeout as sleep } from "node:timers/promises";
import { Stop } from "../lib/exit.ts";
import { getCause } from "../lib/http.ts";

/**
 * A response of the API that is not a success. `status` is the HTTP status, 0 without a response.
 */
export class PlatformError extends Stop {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Platform {
  get<Result>(path: string, headers?: Record<string, string>): Promise<Result>;
  /** Reads a list to its end, however many items a page has. */
  list<Item>(path: string): Promise<Item[]>;
  /** Reads through a POST, such as a database query. */
  read<Result>(path: string, body: unknown): Promise<Result>;
  /** Creates something. Never retried: a lost response does not say whether it was created. */
  post<Result>(path: string, body: unknown, headers?: Record<string, string>): Promise<Result>;
}

export interface Patience {
  /** Receives a line for each wait, with its reason. */
  say(line: string): void;
  /** Milliseconds before each retry. */
  pausesMs: readonly number[];
}

interface Call {
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string> | undefined;
}

interface Envelope<Result> {
  success?: boolean;
  result?: Result;
  errors?: { message: string }[];
  result_info?: PageInfo | null;
}

/** The page of a list. A list that is not paged has none of these fields. */
interface PageInfo {
  page?: number;
  per_page?: number;
  total_count?: number;
}

interface Answer<Result> extends Envelope<Result> {
  status: number;
  /** What was received instead of a success. */
  reason: string;
  /** The seconds after which the API wants to be asked again. */
  retryAfter: number;
}

const timeoutMs = 30_000;
const retryAfterSecondsMax = 60;
export const usualPausesMs = [1_000, 2_000, 5_000, 10_000, 20_000];

/** Opens the API with a token. Throws `PlatformError`; no message holds the token. */
export function createPlatform(baseUrl: string, token: string, { say, pausesMs }: Patience): Platform {
  async function ask<Result>({ method, path, body, headers }: Call): Promise<Answer<Result>> {
    try {
      const answer = await fetch(baseUrl + path, {
        method,
        headers: { ...headers, authorization: `Bearer ${token}`, "content-type": "application/json" },
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const read = readJson<Result>(await answer.text());
      const told = read?.errors?.map(({ message }) => message).join("; ");
      const reason = told || `it answered ${answer.status}${read ? "" : ", and no JSON"}`;
      const retryAfter = Number(answer.headers.get("retry-after")) || 0;
      return { ...read, success: answer.ok && read?.success === true, status: answer.status, reason, retryAfter };
    } catch (error) {
      return { status: 0, reason: `nothing answers at ${baseUrl} (${getCause(error)})`, retryAfter: 0 };
    }
  }

  async function send<Result>(isRead: boolean, call: Call): Promise<Result> {
    return (await sendWhole<Result>(isRead, call)).result as Result;
  }

  async function sendWhole<Result>(isRead: boolean, call: Call): Promise<Envelope<Result>> {
    const { method, path } = call;
    for (let tried = 0; ; tried++) {
      const answer = await ask<Result>(call);
      const { success, status, reason, retryAfter } = answer;
      if (success) return answer;
      const pauseMs = pausesMs[tried];
      // A rate limit rejects a request before anything is done, so even a change may be retried.
      const isPassing = status === 429 || (isRead && (status < 400 || status >= 500));
      if (!isPassing || pauseMs === undefined)
        throw new PlatformError(status, `${method} ${path}: ${reason}.${adviceOn(status, isRead)}`);
      const waitMs = Math.max(pauseMs, Math.min(retryAfter, retryAfterSecondsMax) * 1_000);
      say(`  Cloudflare's API: ${reason}. Asked again in ${Math.ceil(waitMs / 1_000)} s.`);
      await sleep(waitMs);
    }
  }

  async function list<Item>(path: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let page = 1; ; page++) {
      const paged = page === 1 ? path : `${path}${path.includes("?") ? "&" : "?"}page=${page}`;
      const { result, result_info: info } = await sendWhole<Item[]>(true, { method: "GET", path: paged });
      items.push(...(result ?? []));
      const isLast = page * (info?.per_page ?? 0) >= (info?.total_count ?? 0);
      if (isLast || result?.length === 0) return items;
    }
  }
  return {
    list,
    get: (path, headers) => send(true, { method: "GET", path, headers }),
    read: (path, body) => send(true, { method: "POST", path, body }),
    post: (path, body, headers) => send(false, { method: "POST", path, body, headers }),
  };
}

function adviceOn(status: number, isRead: boolean): string {
  if (status === 401 || status === 403)
    return " The token is not valid, or may not do this: docs/operate.md lists its permissions.";
  if (status === 429) return " There were too many calls: run it again in five minutes.";
  if (status > 0 && status < 500 && status >= 400) return "";
  return isRead ? " Run it again later." : " It may have been done anyway: run it again, and it finds what exists.";
}

/** Parses a response; null if it is not JSON. */
function readJson<Result>(text: string): Envelope<Result> | null {
  try {
    return JSON.parse(text) as Envelope<Result> | null;
  } catch {
    return null;
  }
}
