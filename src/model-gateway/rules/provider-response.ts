// What a provider's response to a model call means for the login that made it, and for the call. It
// is judged before any output of the model.

export interface ProviderAnswer {
  status: number;
  /** The header, or null. */
  header(name: string): string | null;
  /** The body of an error response. */
  text: string;
}

export type LoginMark =
  /** The provider rejects the key, so it must be connected again. */
  { type: "needs-reauth" } | { type: "exhausted"; until: number };

export interface CallVerdict {
  /** The change of the login's mark; null for none. */
  mark: LoginMark | null;
  /**
   * The next step of the call: another login makes it, it is repeated without its reasoning, or the
   * response is returned unchanged.
   */
  next: "another-login" | "without-reasoning" | "pass-on";
}

const passOn: CallVerdict = { mark: null, next: "pass-on" };
const tryAnother: CallVerdict = { mark: null, next: "another-login" };
const refused: CallVerdict = { mark: { type: "needs-reauth" }, next: "another-login" };

const [secondMs, minuteMs, dayMs] = [1_000, 60_000, 86_400_000];
const markMs = { least: minuteMs, most: 31 * dayMs, unsaid: 5 * minuteMs };
/** A limit that ends sooner marks no login. If no other login helps, the agent waits it out. */
const waitMs = minuteMs;

const limitWords = /usage.?limit|quota|credit|balance/i;
const overWords = /revoked|disabled|expired/i;
const encryptedWord = /encrypted/i;
const unverifiedWords = /(could not|cannot|can't) be verified/i;

/** Judges a response. */
export function getCallVerdict(answer: ProviderAnswer, now: number): CallVerdict {
  const { status } = answer;
  if (status < 400) return passOn;
  const { message, code, says } = parseError(answer.text);
  const reset = findReset(answer, now);
  const exhausted: CallVerdict = { mark: { type: "exhausted", until: markedUntil(reset, now) }, next: "another-login" };
  switch (status) {
    case 401:
      return refused;
    case 402:
      return exhausted;
    case 400:
      if (isUnverifiedReasoning(code, message)) return { mark: null, next: "without-reasoning" };
      return limitWords.test(says) ? exhausted : passOn;
    case 403:
      if (limitWords.test(says)) return exhausted;
      return overWords.test(says) ? refused : tryAnother;
    case 429:
      return limitWords.test(says) || (reset !== null && reset - now >= waitMs) ? exhausted : tryAnother;
    default:
      return passOn;
  }
}

/**
 * How long the agent waits before it sends a refused call again, in milliseconds. Null unless the
 * response names the end of a limit, within a minute.
 */
export function findLimitPause({ status, header }: Omit<ProviderAnswer, "text">, now: number): number | null {
  const end = status === 429 ? findRetryTime(header, now) : null;
  return end !== null && end - now < waitMs ? Math.max(end - now, 0) : null;
}

function isUnverifiedReasoning(code: string | null, message: string): boolean {
  if (code !== null) return code === "invalid_encrypted_content";
  const at = message.search(encryptedWord);
  return at >= 0 && unverifiedWords.test(message.slice(at));
}

function markedUntil(reset: number | null, now: number): number {
  const ms = reset === null ? markMs.unsaid : reset - now;
  return now + Math.min(Math.max(ms, markMs.least), markMs.most);
}

/** The end of a limit as reported by the provider; null if it is not reported. */
function findReset({ header, text }: ProviderAnswer, now: number): number | null {
  const unified = Number(header("anthropic-ratelimit-unified-reset") ?? Number.NaN);
  if (unified > 0) return unified * secondMs;
  const retryTime = findRetryTime(header, now);
  if (retryTime !== null) return retryTime;
  const { resetsAt, resetsInSeconds, says } = parseError(text);
  if (resetsAt !== null) return resetsAt * secondMs;
  if (resetsInSeconds !== null) return now + resetsInSeconds * secondMs;
  const [written] = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?/.exec(says) ?? [];
  const time = written === undefined ? Number.NaN : Date.parse(`${written.replace(" ", "T").replace(/Z$/, "")}Z`);
  return Number.isFinite(time) ? time : null;
}

/** The time of `Retry-After`; null without one. */
function findRetryTime(header: ProviderAnswer["header"], now: number): number | null {
  const after = header("retry-after");
  if (after === null) return null;
  const seconds = Number(after);
  const time = Number.isFinite(seconds) ? now + seconds * secondMs : Date.parse(after);
  return Number.isFinite(time) ? time : null;
}

interface ErrorFields {
  message: string;
  code: string | null;
  /** All texts of the error. They never contain content of the conversation. */
  says: string;
  resetsAt: number | null;
  resetsInSeconds: number | null;
}

/**
 * The error in a provider's body, which is in the same place on all wires. Any other body comes
 * from a proxy in between.
 */
function parseError(text: string): ErrorFields {
  const error = parseObject(text)?.error;
  const field = (name: string): unknown =>
    typeof error === "object" && error !== null ? (error as Record<string, unknown>)[name] : undefined;
  const findText = (name: string) => (typeof field(name) === "string" ? String(field(name)) : null);
  const findNumber = (name: string) => (typeof field(name) === "number" ? Number(field(name)) : null);
  const message = typeof error === "string" ? error : (findText("message") ?? "");
  return {
    message,
    code: findText("code"),
    says: [findText("type"), findText("code"), message].join(" "),
    resetsAt: findNumber("resets_at"),
    resetsInSeconds: findNumber("resets_in_seconds"),
  };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
