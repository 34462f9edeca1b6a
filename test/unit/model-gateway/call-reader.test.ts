// The shape of a model call is checked however it is cut into pieces; what a lenient parser could
// read differently is refused.
import { describe, expect, test } from "vitest";
import { createCallReader } from "../../../src/model-gateway/call-reader.ts";
import { callShapes, checkCallEnvelope } from "../../../src/model-gateway/rules/call-shape.ts";

type Wire = keyof typeof callShapes;

/**
 * Reads a text in pieces of this many bytes: returns the deciding fields, or the text of the
 * refusal.
 */
function read(text: string, pieceBytes = text.length * 4 + 1, wire: Wire = "anthropic-messages") {
  const bytes = new TextEncoder().encode(text);
  const reader = createCallReader(callShapes[wire]);
  let refusal = null;
  for (let at = 0; at < bytes.length; at += pieceBytes) refusal ??= reader.read(bytes.subarray(at, at + pieceBytes));
  if (refusal) return refusal.code === "unreadable_call" ? "unreadable" : refusal.message;
  return reader.isWhole() ? Object.fromEntries(reader.fields) : "unreadable";
}

const call = {
  messages: [
    { role: "user", content: 'say "model": "other", \\" and {"store": true} \\\\' },
    { role: "user", content: [{ type: "text", text: "ü🚀\u0000\n" }] },
    {
      role: "assistant",
      content: [{ type: "tool_use", input: { model: "inner", type: "url", nested: [[], {}, [null]] } }],
    },
  ],
  model: "claude-opus-5-5",
  max_tokens: 16.5e3,
  stream: true,
  tools: [{ name: "a", input_schema: { type: "object", properties: { '"': { type: "web_search" } }, required: [] } }],
  speed: "fast",
};
const found = { model: "claude-opus-5-5", speed: "fast" };

test.each([1, 2, 3, 7, 64, 100_000])(
  "the deciding fields of the outer object are read, in pieces of %i",
  (pieceBytes) => {
    expect(read(JSON.stringify(call), pieceBytes)).toEqual(found);
    expect(read(` ${JSON.stringify(call, null, 2)}\n`, pieceBytes)).toEqual(found);
  },
);

test.each<[what: string, text: string, fields: Record<string, unknown> | "unreadable"]>([
  ["an escaped name is the name", '{"mod\\u0065l": "m"}', { model: "m" }],
  ["an escaped value is the value", '{"model": "\\u006d"}', { model: "m" }],
  ["a number is a number", '{"model": 1}', { model: 1 }],
  ["an empty object has none", "{}", {}],
  ["empty arrays", '{"messages": [], "tools": [ ]}', {}],
  ["a field that occurs twice", '{"model": "a", "model": "b"}', "unreadable"],
  ["an inner field that occurs twice", '{"tools": [{"type": "custom", "type": "custom"}]}', "unreadable"],
  ["a value that is very long", `{"model": "${"m".repeat(1_000)}"}`, "unreadable"],
  ["an object that does not end", '{"model": "a"', "unreadable"],
  ["a string that does not end", '{"model": "a}', "unreadable"],
  ["two objects", '{"model": "a"} {"model": "b"}', "unreadable"],
  ["an array", '[{"model": "a"}]', "unreadable"],
  ["a text", '"model"', "unreadable"],
  ["a byte order mark", '\ufeff{"model": "a"}', "unreadable"],
  ["a comment", '{"model": 1 /* "x */, "speed": "a" /* " */}', "unreadable"],
  ["single quotes", "{'model': 'a'}", "unreadable"],
  ["a name without quotes", "{store: true}", "unreadable"],
  ["a literal for a name", '{true: "a", "model": "a"}', "unreadable"],
  ["two values", '{"model": "a" "b"}', "unreadable"],
  ["two colons", '{"model": "a": "b"}', "unreadable"],
  ["a name alone", '{"model"}', "unreadable"],
  ["a comma before the end", '{"model": "a",}', "unreadable"],
  ["a comma before the end of an array", '{"messages": [{},]}', "unreadable"],
  ["a bracket of the other kind", '{"messages": [}', "unreadable"],
  ["one within a value that may be anything", '{"tools": [{"input_schema": {"a": [}}}]}', "unreadable"],
  ["nesting without an end", `{"tools": [{"input_schema": ${"[".repeat(5_000)}`, "unreadable"],
  ["nothing", "", "unreadable"],
])("%s", (_, text, fields) => {
  expect(read(text)).toEqual(fields);
  expect(read(text, 1)).toEqual(fields);
});

const image = (source: object) => ({ messages: [{ role: "user", content: [{ type: "image", source }] }] });
const block = (content: object) => ({ messages: [{ role: "user", content: [content] }] });
const item = (...input: object[]) => ({ model: "m", store: false, input });

test.each<[what: string, wire: Wire, call: object, words: string]>([
  ["servers of tools", "anthropic-messages", { mcp_servers: [{ type: "url" }] }, '"mcp_servers"'],
  ["a container", "anthropic-messages", { container: "c" }, '"container"'],
  ["a background run", "anthropic-messages", { background: true }, '"background"'],
  ["a region that costs more", "anthropic-messages", { inference_geo: "us" }, '"inference_geo"'],
  ["other models", "anthropic-messages", { fallbacks: [{ model: "a" }] }, '"fallbacks"'],
  ["beta features in the body", "anthropic-messages", { betas: ["a"] }, '"betas"'],
  ["metadata", "anthropic-messages", { metadata: { user_id: "u" } }, '"metadata"'],
  ["a forced tool", "anthropic-messages", { tool_choice: { type: "any" } }, '"tool_choice"'],
  ["a name in another case", "anthropic-messages", { Model: "b" }, '"Model"'],
  ["a model that is no text", "anthropic-messages", { model: { a: "m" } }, 'this kind of value for "model"'],
  [
    "a search at the provider",
    "anthropic-messages",
    { tools: [{ type: "web_search_20250305" }] },
    '"web_search_20250305" for "tools.type"',
  ],
  [
    "a tool behind others",
    "anthropic-messages",
    { tools: [{ name: "a" }, { type: "computer_20250124" }] },
    '"computer_20250124" for "tools.type"',
  ],
  [
    "a tool that calls from code",
    "anthropic-messages",
    { tools: [{ name: "a", allowed_callers: [] }] },
    '"tools.allowed_callers"',
  ],
  [
    "an image to be fetched",
    "anthropic-messages",
    image({ type: "url", url: "https://a" }),
    '"url" for "messages.content.source.type"',
  ],
  [
    "a file of the provider",
    "anthropic-messages",
    image({ type: "file", file_id: "f" }),
    '"file" for "messages.content.source.type"',
  ],
  [
    "an address beside the data",
    "anthropic-messages",
    image({ type: "base64", url: "https://a" }),
    '"messages.content.source.url"',
  ],
  ["a document", "anthropic-messages", block({ type: "document" }), '"document" for "messages.content.type"'],
  ["a file for a container", "anthropic-messages", block({ type: "container_upload" }), '"container_upload" for'],
  [
    "an image to be fetched, in a tool's result",
    "anthropic-messages",
    block({ type: "tool_result", content: [{ type: "image", source: { type: "url" } }] }),
    '"url" for "messages.content.content.source.type"',
  ],
  [
    "a cache that costs more",
    "anthropic-messages",
    block({ type: "text", cache_control: { type: "ephemeral", ttl: "1h" } }),
    '"messages.content.cache_control.ttl"',
  ],
  ["a stored conversation", "openai-responses", { previous_response_id: "r" }, '"previous_response_id"'],
  ["a conversation of the provider", "openai-responses", { conversation: "c" }, '"conversation"'],
  ["a prompt of the provider", "openai-responses", { prompt: { id: "p" } }, '"prompt"'],
  ["a background run there", "openai-responses", { background: true }, '"background"'],
  ["a longer cache", "openai-responses", { prompt_cache_retention: "24h" }, '"prompt_cache_retention"'],
  ["a search of files", "openai-responses", { tools: [{ type: "file_search" }] }, '"file_search" for "tools.type"'],
  [
    "servers of tools there",
    "openai-responses",
    { tools: [{ type: "mcp", server_url: "https://a" }] },
    '"mcp" for "tools.type"',
  ],
  [
    "a tool in the conversation",
    "openai-responses",
    item({ type: "additional_tools", role: "developer", tools: [{ type: "code_interpreter" }] }),
    '"code_interpreter" for "input.tools.type"',
  ],
  [
    "an image to be fetched there",
    "openai-responses",
    item({ role: "user", content: [{ type: "input_image", image_url: "https://a" }] }),
    "https://a",
  ],
  [
    "a file to be fetched",
    "openai-responses",
    item({ role: "user", content: [{ type: "input_file", file_url: "https://a" }] }),
    '"input_file" for "input.content.type"',
  ],
  [
    "a file of the provider there",
    "openai-responses",
    item({ role: "user", content: [{ type: "input_image", file_id: "f" }] }),
    '"input.content.file_id"',
  ],
  [
    "a file in a tool's result",
    "openai-responses",
    item({ type: "function_call_output", output: [{ type: "input_image", file_id: "f" }] }),
    '"input.output.file_id"',
  ],
  [
    "an item that is stored",
    "openai-responses",
    item({ type: "item_reference", id: "i" }),
    '"item_reference" for "input.type"',
  ],
  ["one without a type", "openai-responses", item({ id: "i" }), 'this kind of value for "input"'],
  [
    "a call of an approved server",
    "openai-responses",
    item({ type: "mcp_approval_response" }),
    '"mcp_approval_response" for',
  ],
  [
    "a tool that the provider runs",
    "openai-responses",
    item({ type: "tool_search_call", execution: "server" }),
    '"server" for "input.execution"',
  ],
  [
    "a further member of a message",
    "openai-responses",
    item({ other: 1, type: "message", role: "user" }),
    '"input.other"',
  ],
  ["a known member in another case", "openai-responses", item({ type: "reasoning", Content: [] }), '"input.Content"'],
  [
    "a report of what was searched",
    "openai-responses",
    { include: ["web_search_call.results"] },
    '"web_search_call.results" for "include"',
  ],
])("%s is not accepted: %s", (_, wire, body, words) => {
  const text = JSON.stringify(body);
  for (const pieceBytes of [1, text.length]) {
    const refusal = read(text, pieceBytes, wire);
    expect(refusal).toMatch(/^A turn's model call does not take/);
    expect(refusal).toContain(words);
  }
});

test("reasoning is sent back with everything that the provider added to it", () => {
  const reasoning = { id: "r", later: { type: "url" }, type: "reasoning", summary: [{ type: "summary_text" }] };
  expect(read(JSON.stringify(item(reasoning)), 3, "openai-responses")).toEqual({ model: "m", store: false });
});

describe("the result equals JSON.parse", () => {
  test("strings with quotes and backslashes end correctly in any pieces", () => {
    for (let number = 0; number < 1_024; number++) {
      const text = [...number.toString(4)].map((digit) => ['"', "\\", "x", "}"][Number(digit)]).join("");
      const whole = JSON.stringify({ system: text, messages: [{ content: text }], model: text });
      for (const pieceBytes of [1, 5, whole.length]) expect(read(whole, pieceBytes)).toEqual({ model: text });
    }
  });
});

test.each<[what: string, wire: Wire, search: string, headers: Record<string, string>, words: string | null]>([
  ["nothing more", "anthropic-messages", "", {}, null],
  [
    "what the agent sends",
    "anthropic-messages",
    "?beta=true",
    {
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "interleaved-thinking-2025-05-14, thinking-binding-controls-2026-08-01",
    },
    null,
  ],
  ["another query", "anthropic-messages", "?beta=true&x=1", {}, "a query"],
  ["a query on the other wire", "openai-responses", "?beta=true", {}, "a query"],
  [
    "a beta feature among others",
    "anthropic-messages",
    "",
    { "anthropic-beta": "interleaved-thinking-2025-05-14,mcp-client-2025-11-20" },
    'the beta feature "mcp-client-2025-11-20"',
  ],
  [
    "one of the other wire",
    "openai-responses",
    "",
    { "anthropic-beta": "interleaved-thinking-2025-05-14" },
    "the beta feature",
  ],
  ["another version", "anthropic-messages", "", { "anthropic-version": "2099-01-01" }, 'the version "2099-01-01"'],
])("around the body, %s: %s %s", (_, wire, search, headers, words) => {
  const refusal = checkCallEnvelope(wire, { search, header: (name) => headers[name] ?? null });
  if (words === null) expect(refusal).toBeNull();
  else expect(refusal?.message).toContain(words);
});
