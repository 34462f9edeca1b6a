// The allowed contents of a turn's model call: the fields, the types of tools and of content, the
// beta features and the query that the agent sends. Anything that is not listed is refused, because
// providers add fields that fetch, store, run code or cost more.

import type { CallRefusal } from "../../model/rules/grant.ts";
import type { UsageWire } from "./reported-usage.ts";

/** `decides`: the grant of the turn checks the value. */
export type ScalarShape = "any" | "decides" | { oneOf: readonly string[] } | { startsWith: string };

export interface CallShape {
  /** Allows a text, a number, true, false or null. */
  scalar?: ScalarShape;
  /** Allows an object with these members, each at most once. */
  members?: Readonly<Record<string, CallShape | "anything">>;
  /** Allows an array of these. */
  items?: CallShape;
  /** An object whose `type` is one of these values may have other members. */
  openTypes?: readonly string[];
  /** An object must have at least one of these members. */
  needsOne?: readonly string[];
}

const plain: CallShape = { scalar: "any" };
const decides: CallShape = { scalar: "decides" };
const choice = (...values: string[]): CallShape => ({ scalar: { oneOf: values } });
const object = (members: NonNullable<CallShape["members"]>): CallShape => ({ members });
const list = (items: CallShape): CallShape => ({ items });
const textOr = (shape: CallShape): CallShape => ({ ...shape, scalar: "any" });

// A longer lifetime than the default costs more than the catalog's price.
const cached = { cache_control: object({ type: choice("ephemeral") }) };
const effort = object({ effort: plain });
const embeddedImage = { source: object({ type: choice("base64"), media_type: plain, data: plain }) };

const messagesCall = object({
  model: decides,
  speed: decides,
  max_tokens: plain,
  stream: plain,
  system: textOr(list(object({ type: choice("text"), text: plain, ...cached }))),
  messages: list(
    object({
      role: plain,
      output_config: effort,
      content: textOr(
        list(
          object({
            type: choice("text", "image", "tool_use", "tool_result", "thinking", "redacted_thinking"),
            ...{ text: plain, thinking: plain, signature: plain, data: plain },
            ...{ id: plain, name: plain, input: "anything", tool_use_id: plain, is_error: plain },
            ...cached,
            ...embeddedImage,
            content: textOr(list(object({ type: choice("text", "image"), text: plain, ...embeddedImage }))),
          }),
        ),
      ),
    }),
  ),
  tools: list(
    object({
      // The types of the tools that the provider runs contain a date.
      type: choice("custom"),
      ...{ name: plain, description: plain, strict: plain, eager_input_streaming: plain, input_schema: "anything" },
      ...cached,
    }),
  ),
  thinking: object({
    ...{ type: plain, display: plain, budget_tokens: plain },
    block_binding: object({ prefix_mismatch_behavior: plain }),
  }),
  output_config: effort,
});

const functions = list(
  object({
    type: choice("function", "custom"),
    ...{
      name: plain,
      description: plain,
      strict: plain,
      defer_loading: plain,
      parameters: "anything",
      format: "anything",
    },
  }),
);

const parts = textOr(
  list(
    object({
      type: choice("input_text", "input_image", "output_text", "refusal", "reasoning_text"),
      ...{ text: plain, refusal: plain, detail: plain, annotations: list(object({})) },
      image_url: { scalar: { startsWith: "data:" } },
    }),
  ),
);

const responsesCall = object({
  model: decides,
  store: decides,
  service_tier: decides,
  stream: plain,
  max_output_tokens: plain,
  prompt_cache_key: plain,
  // The agent's summaries are not cached. A lifetime is not allowed, because a longer one costs
  // more.
  prompt_cache_options: object({ mode: choice("explicit") }),
  reasoning: object({ effort: plain, summary: plain }),
  include: list(choice("reasoning.encrypted_content")),
  tools: functions,
  input: list({
    // The agent sends reasoning back unchanged, with whatever fields the provider has given it.
    openTypes: ["reasoning"],
    // An item without either member refers to one that the provider has stored.
    needsOne: ["type", "role"],
    members: {
      type: choice(
        ...["message", "reasoning", "function_call", "function_call_output", "custom_tool_call"],
        ...["custom_tool_call_output", "additional_tools", "tool_search_call", "tool_search_output"],
      ),
      ...{ role: plain, id: plain, call_id: plain, name: plain, namespace: plain, status: plain, phase: plain },
      ...{ input: plain, encrypted_content: plain, arguments: "anything", summary: "anything" },
      execution: choice("client"),
      content: parts,
      output: parts,
      tools: functions,
    },
  }),
});

/** The allowed contents of a call on each wire. */
export const callShapes: Record<UsageWire, CallShape> = {
  "anthropic-messages": messagesCall,
  "openai-responses": responsesCall,
};

interface Envelope {
  betas: readonly string[];
  versions: readonly string[];
  queries: readonly string[];
}

const envelopes: Record<UsageWire, Envelope> = {
  "anthropic-messages": {
    betas: [
      "fine-grained-tool-streaming-2025-05-14",
      "interleaved-thinking-2025-05-14",
      "mid-conversation-output-config-2026-07-01",
      "thinking-binding-controls-2026-08-01",
    ],
    versions: ["2023-06-01"],
    queries: ["", "?beta=true"],
  },
  "openai-responses": { betas: [], versions: [], queries: [""] },
};

/** Refuses a call with a query, a version or a beta feature that the agent does not send. */
export function checkCallEnvelope(
  wire: UsageWire,
  { search, header }: { search: string; header(name: string): string | null },
): CallRefusal | null {
  const { betas, versions, queries } = envelopes[wire];
  if (!queries.includes(search)) return notTaken("a query");
  const version = header("anthropic-version");
  if (version !== null && !versions.includes(version)) return notTaken(`the version ${quoted(version)}`);
  const asked = (header("anthropic-beta") ?? "").split(",").map((beta) => beta.trim());
  const other = asked.find((beta) => beta !== "" && !betas.includes(beta));
  return other === undefined ? null : notTaken(`the beta feature ${quoted(other)}`);
}

/** The refusal of a member, with the path of the members that contain it. */
export function refuseMember(path: readonly string[], name: string): CallRefusal {
  return notTaken(`the field ${quoted([...path, name].join("."))}`);
}

/** The refusal of the value of the member at this path. */
export function refuseValue(path: readonly string[], value: string): CallRefusal {
  return notTaken(`${value === "" ? "this kind of value" : quoted(value)} for ${quoted(path.join("."))}`);
}

function notTaken(what: string): CallRefusal {
  return { code: "option_not_granted", message: `A turn's model call does not take ${what}.` };
}

const quotedMax = 100;

function quoted(text: string): string {
  return `"${text.length > quotedMax ? `${text.slice(0, quotedMax)}…` : text}"`;
}
