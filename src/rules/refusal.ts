// A refusal: the error of an API call. Each stable code has one status and a default message that
// says what to do. A refusal is plain data, because a thrown error loses its properties between
// Durable Objects.
import { queueSize } from "./limits.ts";

export const refusals = {
  VALIDATION_ERROR: { status: 400, message: "A field has the wrong type or shape. See details, then send it again." },
  BAD_REQUEST: { status: 400, message: "The request does not fit the present state. Check it and send it again." },
  SESSION_UNDER_REVIEW: { status: 400, message: "The session is Under Review. Set its status to active, then send." },
  UNAUTHORIZED: { status: 401, message: "The credential is missing, revoked or expired. Send a valid API key." },
  CREDIT_LIMIT_REACHED: {
    status: 402,
    message:
      "The workspace has used up its plan or its spend limit. An owner or admin changes the plan or raises the limit.",
  },
  FORBIDDEN: { status: 403, message: "You may not do this. Ask a member who may." },
  NOT_FOUND: { status: 404, message: "There is nothing here. Check the address and its ids." },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: "The path does not support this method. The Allow header lists its methods.",
  },
  CONFLICT: { status: 409, message: "The data has changed since you read it. Read it again, then decide." },
  FILE_CHANGED: { status: 409, message: "The file has changed since you read it. Read it again, then decide." },
  JOB_IN_PROGRESS: { status: 409, message: "A turn started meanwhile. Send again and the message waits Up next." },
  JOB_ACTIVE: { status: 409, message: "A turn is running. Wait until it ends, or stop it." },
  JOB_STOPPED: { status: 409, message: "The turn that you saw was stopped. Ask the person before you send again." },
  JOB_STOPPED_TEXT_RETURNED: { status: 409, message: "The turn was stopped first. The message stays in Up next." },
  QUEUE_FULL: { status: 409, message: `Up next holds ${queueSize} messages. Wait for one to start, or delete one.` },
  QUEUED_MESSAGE_CHANGED: { status: 409, message: "The message was changed or sent meanwhile. Read Up next again." },
  QUEUED_MESSAGE_GONE: { status: 409, message: "The message already left Up next. Read the conversation." },
  STEER_UNAVAILABLE: { status: 409, message: "No turn can take the steer. The message stays in Up next." },
  COMMAND_IN_FLIGHT: { status: 409, message: "A runtime command is running on the session. Wait until it is done." },
  SESSION_UPDATING: {
    status: 409,
    message: "Another change to the session is in progress. Send the same request again.",
  },
  SESSION_STATUS_CHANGED: { status: 409, message: "The session's status has changed. Read the session, then decide." },
  SESSION_CHANGED: {
    status: 409,
    message: "The session changed while the message was being queued. Read it, then send.",
  },
  SANDBOX_LIMIT_REACHED: { status: 409, message: "The workspace runs as many sandboxes as its plan allows. Stop one." },
  SANDBOX_STARTING: { status: 409, message: "The sandbox is still starting. Send again shortly." },
  DEPLOY_ACTIVE: { status: 409, message: "A Deploy is running or still stopping. Wait until it ends." },
  DEPLOY_RESUME_UNAVAILABLE: { status: 409, message: "The stopped Deploy cannot resume. Start a new one." },
  NOT_DEPLOYED: { status: 409, message: "The project has no main sandbox. Start a Deploy first." },
  SKILL_NAME_TAKEN: { status: 409, message: "A skill of this name exists already. Choose another name." },
  PROVIDER_LOGIN_DUPLICATE: { status: 409, message: "This login is connected already. Use it, or connect another." },
  PROVIDER_LOGIN_LIMIT: {
    status: 409,
    message: "The provider already has the maximum number of logins. Disconnect one first.",
  },
  CRON_RUN_STARTING: { status: 409, message: "A run of the cron is still starting. Try again shortly." },
  IDEMPOTENCY_KEY_REUSED: { status: 409, message: "This Idempotency-Key was used with another body. Use a new key." },
  GONE: { status: 410, message: "This route was removed. Upgrade the command-line client to 5.0.0 or newer." },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The body is too large. Send less." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "The route does not accept this media type. Send JSON." },
  TOO_MANY_REQUESTS: { status: 429, message: "Too many requests. Wait as long as Retry-After says." },
  INTERNAL_ERROR: { status: 500, message: "Something broke on our side. Send the request again, or report its id." },
  SERVICE_UNAVAILABLE: { status: 503, message: "A part of the service does not respond. Try again shortly." },
} as const;

export type RefusalCode = keyof typeof refusals;

/** What the caller can choose from, or what is in the way. */
type RefusalDetails =
  | Mistake[]
  | { slug: string }
  | { hash: string }
  | { usedBytes: number; maxBytes: number }
  | { sessions: { id: string; title: string; projectId: string }[] }
  | { files: string[]; commits: { sha: string; message: string }[] }
  | { crons: { id: string; name: string }[] }
  | { questions: { question: string; options: string[] }[] };

export interface Refusal {
  code: RefusalCode;
  message: string;
  details?: RefusalDetails;
  /** The time after which a retry can succeed. */
  retryAfterSeconds?: number;
}

/** Builds a refusal, by default with the message of its code. */
export function refuse(code: RefusalCode, message: string = refusals[code].message, details?: RefusalDetails): Refusal {
  return details === undefined ? { code, message } : { code, message, details };
}

/**
 * Refuses a field of a request. `what` follows its name in a sentence, such as "is required". An
 * empty path means the body as a whole.
 */
export function refuseField(path: string, what: string, message = formatSentence(path, what)): Refusal {
  return refuse("VALIDATION_ERROR", message, [{ path, message: what }]);
}

/** What is wrong with one field of a request; `message` follows its path in a sentence. */
export interface Mistake {
  path: string;
  message: string;
}

/** Refuses all fields that are wrong; null if none is. */
export function refuseMistakes(mistakes: readonly Mistake[]): Refusal | null {
  const [first] = mistakes;
  return first ? refuse("VALIDATION_ERROR", formatSentence(first.path, first.message), [...mistakes]) : null;
}

/** Builds the sentence about a field from its path and what follows it. */
export function formatSentence(path: string, what: string): string {
  return `${path || "The body"} ${what}${/[.?]$/.test(what) ? "" : "."}`;
}

/** True for a refusal, even after it was passed between Durable Objects. */
export function isRefusal(value: unknown): value is Refusal {
  if (typeof value !== "object" || value === null || !("code" in value) || !("message" in value)) return false;
  return typeof value.code === "string" && Object.hasOwn(refusals, value.code) && typeof value.message === "string";
}
