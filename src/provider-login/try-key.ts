// Tests a pasted API key with one call to the provider's default model.

import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { readErrorText } from "../lib/response-body.ts";
import { catalog } from "../model/catalog.ts";
import { providers } from "../model/providers.ts";
import { toTurnModel } from "../model/turn-model.ts";
import { createQuestionRequest } from "../model-gateway/ask-model.ts";
import { getCallVerdict } from "../model-gateway/rules/provider-response.ts";
import { callWithCredential } from "../model-gateway/upstream.ts";
import type { Refusal } from "../rules/refusal.ts";
import type { LoginName } from "./rules/login.ts";
import { checkKey, type TrialAnswer } from "./rules/pasted-key.ts";

const waitMs = 10_000;
/** The smallest limit that every provider accepts. */
const outputTokensMax = 16;

/**
 * Tests the key. `exhaustedUntil` is when the key's limit resets, in milliseconds since the epoch;
 * null if it is not at its limit. BAD_REQUEST with the provider's reason if the provider refuses
 * the key, SERVICE_UNAVAILABLE if it does not respond.
 */
export async function tryKey(
  env: Env,
  name: LoginName,
  apiKey: string,
): Promise<{ exhaustedUntil: number | null } | Refusal> {
  const answer = await call(env, name, apiKey);
  return checkKey(providers[name.provider].name, apiKey, answer) ?? { exhaustedUntil: answer.exhaustedUntil };
}

async function call(env: Env, name: LoginName, apiKey: string): Promise<TrialAnswer> {
  const entry = catalog.find(({ provider }) => provider === name.provider);
  const model = entry && toTurnModel(entry.value);
  if (!model) throw new Error(`${name.provider} has no model`);
  const question = { model, instructions: "Answer in one word.", text: "Ready?", outputTokensMax, waitMs };
  const path = providers[name.provider].callPath;
  try {
    const credential = { kind: "key", apiKey } as const;
    const answer = await callWithCredential(env, { name, path, request: createQuestionRequest(question), credential });
    const { status, headers } = answer;
    if (!answer.ok) {
      const text = await readErrorText(answer);
      const { mark } = getCallVerdict({ status, header: (header) => headers.get(header), text }, Date.now());
      return { status, reason: findReason(text), exhaustedUntil: mark?.type === "exhausted" ? mark.until : null };
    }
    await answer.body?.cancel();
    return { status, reason: "", exhaustedUntil: null };
  } catch (error) {
    log.warn("key_trial.failed", { provider: name.provider, error });
    return { status: null, reason: "", exhaustedUntil: null };
  }
}

/**
 * The message of an error, which is at the same place in every API format. Anything else comes from
 * a proxy in between.
 */
function findReason(text: string): string {
  try {
    const message: unknown = JSON.parse(text)?.error?.message;
    return typeof message === "string" ? message : "";
  } catch {
    return "";
  }
}
