// The error message of a failed model request: what happened, what to do about it, and the
// provider's own message.
import { type AssistantMessage, isContextOverflow } from "@earendil-works/pi-ai";
import { findOwnCode } from "../../../src/model-gateway/rules/failure.ts";
import { diskIsFull } from "../../http/refusal.ts";
import type { AgentEnd, AgentErrorCode } from "../agent.ts";

const ownWordsCharactersMax = 500;

const kinds: { code: AgentErrorCode; pattern: RegExp; says: string }[] = [
  {
    code: "provider_overloaded",
    pattern: /overloaded|\b529\b|high demand|\b503\b/i,
    says: "The model provider is overloaded. Send the message again in a moment, or choose another model.",
  },
  {
    code: "provider_rate_limited",
    pattern: /rate.?limit|too many requests|\b429\b|usage limit|quota/i,
    says: "The login for this model has reached its limit. Wait until it resets, add another login, or choose another model.",
  },
  {
    code: "provider_unauthorized",
    pattern: /authentication|unauthorized|\b401\b|\b403\b|permission|invalid.{0,10}api.?key/i,
    says: "The model provider refused the login. Connect it again in the account settings, or choose another model.",
  },
];

/** The model client's messages for a response that breaks off or stalls for minutes. */
const brokenOff = /^(terminated|fetch failed|request timed out\.?)$/i;
const providerBrokeOff =
  "The model provider cut off its response, or stopped sending it. Send the message again in a moment, or choose another model.";

/** pi's message if it could not write the conversation. */
const noSpace = /^(ENOSPC|EDQUOT): /;

const contextExceeded: AgentEnd = {
  type: "failed",
  error:
    "The conversation no longer fits into the model's context window, even after it was compacted. " +
    "Use /clear to start over, or choose a model with a larger window.",
  errorCode: "context_window_exceeded",
};

/** True if a model response failed because the conversation is too long. */
export function isTooLong(message: AssistantMessage, contextWindow: number): boolean {
  return message.stopReason === "error" && isContextOverflow(message, contextWindow);
}

/** The end of a run whose conversation stays too long after a compaction. */
export const tooLongEnd = contextExceeded;

/**
 * The end of a run whose model request failed. A message of the service is used unchanged; a
 * provider's message is classified by its text.
 */
export function toFailedEnd(message: string): Extract<AgentEnd, { type: "failed" }> {
  const code = findOwnCode(message);
  if (code !== null) return { type: "failed", error: ownWords(message), errorCode: code };
  if (noSpace.test(message)) return { type: "failed", error: diskIsFull, errorCode: null };
  const kind = kinds.find(({ pattern }) => pattern.test(message));
  const words = ownWords(message);
  if (kind) return { type: "failed", error: `${kind.says} (${words})`, errorCode: kind.code };
  if (brokenOff.test(words)) return { type: "failed", error: `${providerBrokeOff} (${words})`, errorCode: null };
  return { type: "failed", error: `The model could not answer: ${words}`, errorCode: null };
}

/** The provider's message without the JSON around it. */
function ownWords(message: string): string {
  const inner = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(message)?.[1];
  const words = inner === undefined ? message : unescapeJson(inner);
  return words.length > ownWordsCharactersMax ? `${words.slice(0, ownWordsCharactersMax)}…` : words;
}

function unescapeJson(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
