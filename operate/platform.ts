// Cloudflare's API, as far as a deployment reads and prepares an account by itself. The rest is done by wrangler.
import { Stop } from "./stop.ts";

/** Answers of the API that are no success. `status` is that of HTTP. */
export class PlatformError extends Stop {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Platform {
  get<Result>(path: string): Promise<Result>;
  post<Result>(path: string, body: unknown): Promise<Result>;
}

interface Envelope<Result> {
  success?: boolean;
  result?: Result;
  errors?: { message: string }[];
}

const timeoutMs = 30_000;

/** Opens the API with a token. Throws `PlatformError`; no message holds the token. */
export function openPlatform(baseUrl: string, token: string): Platform {
  async function call<Result>(method: string, path: string, body?: unknown): Promise<Result> {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new PlatformError(0, `Cloudflare's API does not answer at ${baseUrl}: ${String(error)}`);
    });
    const { success, result, errors } = readJson<Result>(await answer.text());
    if (answer.ok && success) return result as Result;
    const reason = errors?.map(({ message }) => message).join("; ") || `it answered ${answer.status}`;
    throw new PlatformError(answer.status, `${method} ${path}: ${reason}`);
  }
  return { get: (path) => call("GET", path), post: (path, body) => call("POST", path, body) };
}

/** Reads an answer. One that is no JSON is no success. */
function readJson<Result>(text: string): Envelope<Result> {
  try {
    return JSON.parse(text) as Envelope<Result>;
  } catch {
    return {};
  }
}
