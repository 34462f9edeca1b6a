// Calls of the API over fetch: addresses, credentials, retries, and what is under `data`.
import { ConnectionError, type OperationName, readRefusal, SwitchyardError } from "./errors.ts";
import type { Operations } from "./generated/api.ts";
import { findRepeatability, findRetryMs, getBackoffMs, pauseFor } from "./retries.ts";

/** The version of the product, which a test compares with `package.json`. */
export const version = "5.0.0-dev";

export interface Settings {
  /** The address of the service, such as `https://switchyard.example.com`. */
  baseUrl: string;
  /**
   * An API key, or a function that gives one; null in a page of the service, which has a cookie.
   */
  apiKey: string | (() => string | Promise<string>) | null;
  /** The fetch to use instead of the runtime's. */
  fetch?: typeof globalThis.fetch | undefined;
  /** How often a call that failed is made again, where that is harmless; 4 by default. */
  retries?: number | undefined;
  /** How long one try of a call may take; 60 seconds by default. */
  timeoutMs?: number | undefined;
  /** Names your program in the logs of the service, such as `bot/1.0`. */
  client?: string | undefined;
}

type Parameter<Name> = Name extends `${string}{${infer One}}${infer Rest}` ? One | Parameter<Rest> : never;
/** What an operation needs of its caller. Its name has the parameters of its path. */
type Needed<Name extends OperationName> = Operations[Name]["input"] &
  ([Parameter<Name>] extends [never] ? unknown : { path: Record<Parameter<Name>, string> });
/** What a call of an operation takes. */
export type Input<Name extends OperationName> = Needed<Name> & {
  signal?: AbortSignal | undefined;
  /** How long one try may take, instead of the setting. */
  timeoutMs?: number | undefined;
};
/** What an operation answers, under `data`. */
export type Answer<Name extends OperationName> = Operations[Name]["data"];
/** The input is left out where nothing of it is needed. */
export type Inputs<Name extends OperationName> =
  Record<never, never> extends Needed<Name> ? [input?: Input<Name>] : [input: Input<Name>];

/** What every operation may get, for code that is not of one operation. */
export interface AnyInput {
  path?: Record<string, string> | undefined;
  query?: object | undefined;
  body?: unknown;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

export interface Envelope {
  data: unknown;
  meta?: unknown;
}

export interface Http {
  /** Makes a call, again where that is harmless, and reads what it answers. */
  call(operation: string, input: AnyInput): Promise<Envelope>;
  /** Makes one try of a call and returns its response, whatever its status is. */
  open(operation: string, input: AnyInput & { headers?: Record<string, string> }): Promise<Response>;
  /** True if the credential comes from a function, which may give another one. */
  canRenewKey: boolean;
}

/** @internal */
export function createHttp(settings: Settings): Http {
  const { baseUrl, apiKey, retries = 4, timeoutMs = 60_000, client } = settings;
  const doFetch = settings.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const base = baseUrl.replace(/\/+$/, "");
  const clientVersion = [client, `client/${version}`].filter((one) => one !== undefined).join(" ");
  const canRenewKey = typeof apiKey === "function";

  const open: Http["open"] = async (operation, { path, query, body, idempotencyKey, signal, headers: more }) => {
    const [method = "GET", template = ""] = operation.split(" ");
    const headers = new Headers({ accept: "application/json, */*", "x-client-version": clientVersion, ...more });
    const key = typeof apiKey === "function" ? await apiKey() : apiKey;
    if (key !== null) headers.set("authorization", `Bearer ${key}`);
    if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
    const isJson = body !== undefined && !(body instanceof FormData) && !(body instanceof Blob);
    if (isJson) headers.set("content-type", "application/json");
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = isJson ? JSON.stringify(body) : (body as BodyInit);
    if (signal) init.signal = signal;
    return await doFetch(base + formatAddress(template, path, query), init);
  };

  /** One try, up to the end of the answer. */
  async function attempt(operation: string, input: AnyInput): Promise<Envelope | SwitchyardError> {
    const timeout = AbortSignal.timeout(input.timeoutMs ?? timeoutMs);
    const signal = input.signal ? AbortSignal.any([input.signal, timeout]) : timeout;
    let response = await open(operation, { ...input, signal });
    if (response.status === 401 && canRenewKey) response = await open(operation, { ...input, signal });
    return response.ok ? await readAnswer(response) : await readRefusal(response, operation);
  }

  async function call(operation: string, input: AnyInput): Promise<Envelope> {
    const [method = ""] = operation.split(" ", 1);
    const repeatability = findRepeatability(method, input.idempotencyKey !== undefined, input.query);
    for (let failures = 1; ; failures += 1) {
      let waitMs: number | null;
      let failure: Error;
      try {
        const outcome = await attempt(operation, input);
        if (!(outcome instanceof SwitchyardError)) return outcome;
        failure = outcome;
        waitMs = findRetryMs(outcome, repeatability, failures);
      } catch (cause) {
        input.signal?.throwIfAborted();
        failure = new ConnectionError(operation, repeatability !== "read", cause);
        waitMs = repeatability === "once" ? null : getBackoffMs(failures);
      }
      if (waitMs === null || failures > retries) throw failure;
      await pauseFor(waitMs, input.signal);
    }
  }

  return { call, open, canRenewKey };
}

/** Fills the parameters of a path, and appends the query. A list is a repeated name. */
function formatAddress(template: string, path: AnyInput["path"], query: AnyInput["query"]): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path?.[name];
    if (!value) throw new TypeError(`${template} needs the path parameter ${name}.`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) search.append(name, String(one));
  const text = search.toString();
  return text === "" ? filled : `${filled}?${text}`;
}

/** Reads a success. A file of a user is never read as an answer, whatever its type is. */
async function readAnswer(response: Response): Promise<Envelope> {
  if (response.status === 204) return { data: undefined };
  const type = response.headers.get("content-type") ?? "";
  const isFile = response.headers.has("content-disposition");
  if (isFile || !/json/.test(type)) return { data: await response.blob() };
  const body: unknown = await response.json();
  return typeof body === "object" && body !== null && "data" in body ? (body as Envelope) : { data: body };
}
