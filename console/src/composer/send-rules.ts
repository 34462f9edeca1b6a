// What a key does in the composer, and what a refusal of the service asks for.
import { ConnectionError, type ErrorCode, type Schemas, SwitchyardError } from "@switchyard/client";

/** What the newest turn does, as far as it matters to the next message. */
export type Phase = "idle" | "starting" | "running" | "asks";

const phases: Record<Schemas["JobStatus"], Phase> = {
  pending: "starting",
  running: "running",
  awaiting_response: "asks",
  completed: "idle",
  failed: "idle",
  cancelled: "idle",
};

export const phaseOf = (job: { status: Schemas["JobStatus"] } | null): Phase => (job ? phases[job.status] : "idle");

/** True while a message waits Up next instead of starting a turn. */
export const isBusy = (phase: Phase): boolean => phase === "starting" || phase === "running";

export interface KeyPress {
  key: string;
  shiftKey: boolean;
  metaKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  /** A key of an input method chooses letters; it sends nothing. */
  isComposing: boolean;
}

/** What a key does: send the message, steer it into the running turn, or what it always does. */
export function readKey(press: KeyPress, phase: Phase, isTouch: boolean): "send" | "steer" | null {
  if (press.key !== "Enter" || press.isComposing || press.altKey) return null;
  const hasCommand = press.metaKey || press.ctrlKey;
  if (hasCommand && press.shiftKey) return isBusy(phase) ? "steer" : "send";
  if (press.shiftKey) return null;
  // The keyboards of phones have no Shift+Enter; their button sends.
  return isTouch && !hasCommand ? null : "send";
}

/** What the person can do about a refusal. */
export type Step = "again" | "sign-in" | "usage" | "info" | "sandboxes";

export interface NextStep {
  step: Step | null;
  /** The words of the button. */
  label: string | null;
  /** What to know, beyond the sentence of the service. */
  hint: string | null;
}

const steps: Partial<Record<ErrorCode, NextStep>> = {
  UNAUTHORIZED: { step: "sign-in", label: "Sign in", hint: null },
  SANDBOX_LIMIT_REACHED: { step: "sandboxes", label: "Running sessions", hint: "Then send again." },
  DEPLOY_ACTIVE: { step: "again", label: "Send again", hint: "The Deploy has to end first." },
  JOB_STOPPED: { step: "again", label: "Send it still", hint: "It then starts a turn of its own." },
  JOB_IN_PROGRESS: { step: "again", label: "Send again", hint: "It will wait Up next." },
  SESSION_STATUS_CHANGED: { step: "again", label: "Send it still", hint: "Look at the session first." },
  SESSION_CHANGED: { step: "again", label: "Send it still", hint: "Look at the session first." },
  QUEUE_FULL: { step: "again", label: "Send again", hint: "Delete a message from Up next, or wait until one is sent." },
  COMMAND_IN_FLIGHT: { step: "again", label: "Send again", hint: "It takes a few seconds." },
  IDEMPOTENCY_KEY_REUSED: { step: "again", label: "Send again", hint: null },
  TOO_MANY_REQUESTS: { step: "again", label: "Send again", hint: "Wait a moment." },
  PAYLOAD_TOO_LARGE: { step: null, label: null, hint: "Remove a file, or shorten the text." },
  UNSUPPORTED_MEDIA_TYPE: { step: null, label: null, hint: "Remove the file." },
  VALIDATION_ERROR: { step: null, label: null, hint: "Change the message, then send it." },
  STEER_UNAVAILABLE: { step: null, label: null, hint: "It stays Up next." },
  JOB_STOPPED_TEXT_RETURNED: { step: null, label: null, hint: "It is on top of Up next." },
  QUEUED_MESSAGE_GONE: { step: null, label: null, hint: "It was sent or deleted meanwhile." },
  FORBIDDEN: { step: null, label: null, hint: null },
  NOT_FOUND: { step: null, label: null, hint: null },
  BAD_REQUEST: { step: "again", label: "Send again", hint: null },
};

/** How the refusal of answers begins when no question waits for them. */
const noQuestion = "No clarification waits";

const again: NextStep = { step: "again", label: "Send again", hint: null };

/** True for a refusal at a spend limit, or at the end of a plan. */
export const isAtLimit = (error: unknown): boolean =>
  error instanceof SwitchyardError && error.failure.code === "CREDIT_LIMIT_REACHED";

/** The next step at a limit: a session's is in Info, the workspace's on its page of usage. */
function findLimitStep(sentence: string, mayRaise: boolean): NextStep {
  if (sentence.startsWith("The session "))
    return { step: "info", label: "Raise the limit", hint: "Any member raises it, in Info." };
  if (mayRaise) return { step: "usage", label: "Raise the limit", hint: "Raise it, then try again." };
  const hint = "Ask an owner or admin of the workspace to raise it, or choose a model of your own subscription.";
  return { step: "usage", label: "See the limit", hint };
}

/**
 * What helps after a message, or another action, was refused. `mayRaise` is true for owners and
 * admins of the workspace.
 */
export function findNextStep(error: unknown, mayRaise = false): NextStep {
  if (!(error instanceof SwitchyardError)) return again;
  if (isAtLimit(error)) return findLimitStep(error.message, mayRaise);
  if (error.message.startsWith(noQuestion)) return { step: null, label: null, hint: "Somebody answered it first." };
  // A proxy that refused the size has no code of the service.
  return steps[error.status === 413 ? "PAYLOAD_TOO_LARGE" : error.failure.code] ?? again;
}

/** True if no answer came that settles it: the message may have arrived. */
export function isUnsure(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof SwitchyardError && error.status >= 500);
}

/** What helps after a turn failed. */
export function findFailedStep(errorCode: string | null): "fresh" | "models" | "account" | "again" {
  if (errorCode === "context_window_exceeded") return "fresh";
  if (errorCode === "no_credentials") return "models";
  return errorCode?.startsWith("subscription_") || errorCode === "provider_unauthorized" ? "account" : "again";
}

/** The way to a model where no provider is connected. */
export interface ModelStep {
  hint: string;
  label: string;
  /** The models of the workspace, or the subscriptions of the person. */
  to: "/w/$workspace/models" | "/account/subscriptions";
}

/**
 * Who connects a model: owners and admins for the workspace, members for themselves. A person with
 * subscriptions runs on nothing else, so theirs come first.
 */
export function findModelStep(isAdmin: boolean, access: Partial<Schemas["AccessStatus"]["providers"]> = {}): ModelStep {
  const to = "/account/subscriptions";
  if (Object.values(access).some(({ via }) => via === "subscription"))
    return { hint: "Sign in again to your subscription.", label: "Check your logins", to };
  if (isAdmin)
    return { hint: "Connect a provider to the workspace.", label: "Connect a model", to: "/w/$workspace/models" };
  const hint = "Ask an owner or admin of the workspace to connect a provider, or use a subscription of your own.";
  return { hint, label: "Use your subscription", to };
}

/** The page of a person who writes is in front, so that the sandbox stays up once it is awake. */
const wakeAgainMs = 120_000;

export interface Written {
  status: Schemas["SessionStatus"];
  phase: Phase;
  text: string;
  /** When the sandbox was last woken for this session; null if it was not. */
  wokenAt: number | null;
}

/** True if a message is written that will start a turn, and the sandbox may be asleep. */
export function wakesAhead({ status, phase, text, wokenAt }: Written, now: number): boolean {
  const startsTurn = status === "active" && (phase === "idle" || phase === "asks");
  return startsTurn && text.trim() !== "" && (wokenAt === null || now - wokenAt >= wakeAgainMs);
}

/** Why the session takes no message now; null where it takes one. */
export function findClosedReason(status: Schemas["SessionStatus"]): string | null {
  if (status === "backlog") return "This session is in the Backlog. It takes messages once it was started.";
  if (status === "completed") return "This session is completed. It takes no more messages.";
  return status === "archived" ? "This session is archived. It takes no more messages." : null;
}
