// A single question to a model, outside of any turn: one request on the provider's wire, with a
// text as its result.
import * as z from "zod";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { readResponseJson } from "../lib/response-body.ts";
import { providers } from "../model/providers.ts";
import type { TurnModel } from "../model/turn-model.ts";
import type { Payer } from "../provider-login/rules/payer.ts";
import { serviceResponseBytes } from "../rules/limits.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import type { ModelWire } from "../sandbox-protocol/protocol.ts";
import type { CallTokens } from "../usage/rules/price.ts";
import { checkSpends, noSpend } from "../usage/rules/spend-limit.ts";
import { listPayerLogins } from "./payer.ts";
import { callAsPayer } from "./payer-call.ts";
import { addTokens } from "./rules/reported-usage.ts";

export interface Question {
  model: TurnModel;
  instructions: string;
  text: string;
  /** The limit of output tokens, reasoning included. */
  outputTokensMax: number;
  /** The timeout in milliseconds. */
  waitMs: number;
}

export interface QuestionAnswer {
  /** May be empty. */
  text: string;
  /** The tokens used; null if the provider did not report them. */
  tokens: CallTokens | null;
}

/**
 * Asks a model a question, at the cost of a payer. BAD_REQUEST if the provider rejects the
 * credential, CREDIT_LIMIT_REACHED at a spend limit, otherwise SERVICE_UNAVAILABLE.
 */
export async function askModel(
  env: Env,
  { workspaceId, payer, ...question }: Question & { workspaceId: string; payer: Payer },
): Promise<QuestionAnswer | Refusal> {
  const { model } = question;
  const provider = providers[model.provider];
  const again = refuse("SERVICE_UNAVAILABLE", `${provider.name} did not answer. Try again shortly.`);
  try {
    const held = await listPayerLogins(env, { workspaceId, payer, provider: provider.id });
    const spent = payer.type === "workspace" ? checkSpends({ workspace: held.spend, session: noSpend }) : null;
    if (spent) return spent;
    const request = createQuestionRequest(question);
    const answer = await callAsPayer(env, { ...held, provider: provider.id, path: provider.callPath, request });
    if (answer.ok) {
      const whole = await readResponseJson<unknown>(answer, serviceResponseBytes);
      const { usage } = reported.parse(whole);
      return { text: wires[model.wire].readText(whole), tokens: addTokens(model.wire, null, usage) };
    }
    await answer.body?.cancel();
    return isCredentialAtFault(answer.status)
      ? refuse(
          "BAD_REQUEST",
          payer.type === "member"
            ? `${provider.name} accepts no login of the session's Assignee, who can connect it again.`
            : `${provider.name} accepts no credential of this workspace. An owner or admin can connect it again.`,
        )
      : again;
  } catch (error) {
    log.warn("model_question.failed", { error });
    return again;
  }
}

/** The request of a question, on its model's wire. */
export function createQuestionRequest(question: Question): Request {
  const wire = wires[question.model.wire];
  return new Request("http://gateway", {
    method: "POST",
    headers: { "content-type": "application/json", ...wire.headers },
    body: JSON.stringify(wire.body(question)),
    signal: AbortSignal.timeout(question.waitMs),
  });
}

// The gateway returns 424 for a login that cannot be refreshed.
const isCredentialAtFault = (status: number) => [401, 403, 424].includes(status);

interface QuestionWire {
  headers: Record<string, string>;
  body(question: Question): object;
  readText(answer: unknown): string;
}

const parts = z.array(z.object({ type: z.string(), text: z.string().optional() }));
const message = z.object({ content: parts });
const response = z.object({ output: z.array(z.object({ content: parts.optional() })) });
const reported = z.object({ usage: z.unknown() });
const joined = (list: z.infer<typeof parts>) => list.map(({ text }) => text ?? "").join("");

const wires: Record<ModelWire, QuestionWire> = {
  "anthropic-messages": {
    headers: { "anthropic-version": "2023-06-01" },
    body: ({ model, instructions, text, outputTokensMax }) => ({
      model: model.id,
      max_tokens: outputTokensMax,
      system: instructions,
      messages: [{ role: "user", content: text }],
    }),
    readText: (answer) => joined(message.parse(answer).content.filter(({ type }) => type === "text")),
  },
  "openai-responses": {
    headers: {},
    body: ({ model, instructions, text, outputTokensMax }) => ({
      model: model.id,
      max_output_tokens: outputTokensMax,
      store: false,
      instructions,
      input: [{ role: "user", content: text }],
    }),
    readText: (answer) =>
      joined(
        response
          .parse(answer)
          .output.flatMap(({ content = [] }) => content.filter(({ type }) => type === "output_text")),
      ),
  },
};
