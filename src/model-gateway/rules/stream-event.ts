// The events of a streamed response up to the model's first content. A provider that refuses a call
// may report that there, with status 200.

export type Opening =
  /** No content yet. */
  { type: "open" } | { type: "content" } | ({ type: "error" } & StreamError);

/** The status and the body that the same refusal would have without a stream. */
export interface StreamError {
  status: number;
  body: { error: { type?: string; code: string | null; message: string } };
}

/** Events that precede any content. */
const openingTypes = ["message_start", "ping", "response.created", "response.in_progress", "response.queued"];

const statuses: Record<string, number> = {
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  permission_error: 403,
  invalid_request_error: 400,
  invalid_encrypted_content: 400,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  usage_limit_reached: 429,
  insufficient_quota: 429,
  overloaded_error: 529,
};

/** The state of a stream, from its text so far. An incomplete event does not count. */
export function parseOpening(text: string): Opening {
  const events = text.split(/\r?\n\r?\n/).slice(0, -1);
  for (const event of events) {
    const data = parseData(event);
    if (data === null) continue;
    const { type } = data;
    const error = findStreamError(data);
    if (error) return { type: "error", ...error };
    if (typeof type !== "string" || !openingTypes.includes(type)) return { type: "content" };
  }
  return { type: "open" };
}

/** The error in an event; null if there is none. */
export function findStreamError(data: Record<string, unknown>): StreamError | null {
  if (data.type !== "error" && data.type !== "response.failed") return null;
  const error = toObject(data.error) ?? toObject(toObject(data.response)?.error) ?? data;
  const textAt = (name: string) => (typeof error[name] === "string" ? String(error[name]) : null);
  const [type, code] = [textAt("type"), textAt("code")];
  const status = statuses[code ?? ""] ?? statuses[type ?? ""] ?? 500;
  return { status, body: { error: { ...error, code, message: textAt("message") ?? "" } } };
}

/** The data of an event; null for a comment, and for data that no provider sends. */
function parseData(event: string): Record<string, unknown> | null {
  const [, data] = /^data: ?(.*)$/m.exec(event) ?? [];
  if (data === undefined) return null;
  try {
    return toObject(JSON.parse(data));
  } catch {
    return null;
  }
}

function toObject(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
}
