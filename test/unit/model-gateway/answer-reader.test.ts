// The usage in a response is read as it streams, in both wire formats and however it is cut into
// pieces.
import { expect, it, test } from "vitest";
import { createAnswerReader } from "../../../src/model-gateway/answer-reader.ts";
import type { UsageWire } from "../../../src/model-gateway/rules/reported-usage.ts";

const event = (data: object, end = "\n\n") => `event: e\ndata: ${JSON.stringify(data)}${end}`;

function read(wire: UsageWire, text: string, { pieceBytes = 1e9, isStream = true } = {}) {
  const types: unknown[] = [];
  const reader = createAnswerReader(wire, isStream, (values) => types.push(values.get("type")));
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.read(bytes.subarray(at, at + pieceBytes));
  reader.end();
  return { tokens: reader.tokens(), types };
}

const hostile = 'say "usage": {"input_tokens": 9} \\" \n\ndata: {"usage":{"output_tokens":9}}';
const messages = [
  event({
    type: "message_start",
    message: {
      content: [],
      usage: { input_tokens: 20, cache_creation_input_tokens: 5, cache_read_input_tokens: 300, output_tokens: 1 },
    },
  }),
  event({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: hostile, usage: { output_tokens: 9 } },
  }),
  event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 41 } }),
  event({ type: "message_stop" }),
].join("");
const responses = [
  event({ type: "response.created", response: { usage: null, output: [] } }),
  event({ type: "response.output_text.delta", delta: hostile }),
  event({
    type: "response.completed",
    response: {
      output: [{ content: [{ text: hostile.repeat(2_000) }], usage: { input_tokens: 9 } }],
      usage: { input_tokens: 320, input_tokens_details: { cached_tokens: 300 }, output_tokens: 41 },
    },
  }),
].join("");

test.each([1, 2, 3, 7, 64, 1e9])("both wire formats, in pieces of %i bytes", (pieceBytes) => {
  expect(read("anthropic-messages", messages, { pieceBytes })).toEqual({
    tokens: { input: 20, cacheRead: 300, cacheWrite: 5, output: 41 },
    types: ["message_start", "content_block_delta", "message_delta", "message_stop"],
  });
  expect(read("openai-responses", responses, { pieceBytes }).tokens).toEqual({
    input: 20,
    cacheRead: 300,
    cacheWrite: 0,
    output: 41,
  });
  expect(read("anthropic-messages", messages.replaceAll("\n", "\r\n"), { pieceBytes }).tokens?.output).toBe(41);
});

it("reads a response that is no stream", () => {
  const message = { type: "message", content: [{ text: hostile }], usage: { input_tokens: 7, output_tokens: 3 } };
  expect(read("anthropic-messages", JSON.stringify(message, null, 2), { isStream: false }).tokens).toEqual({
    input: 7,
    cacheRead: 0,
    cacheWrite: 0,
    output: 3,
  });
});

it("counts the usage that was reported until a response broke off", () => {
  const broken = messages.slice(0, messages.indexOf("message_delta"));
  expect(read("anthropic-messages", broken).tokens).toEqual({ input: 20, cacheRead: 300, cacheWrite: 5, output: 1 });
});

it.each([
  ["nothing", ""],
  ["what is no JSON", "data: {no\n\ndata: [1,2\n\n: ping\n\ndata:\n\n"],
  ["a report that is none", event({ usage: "many" }) + event({ usage: [1] }) + event({ usage: null })],
  ["counts elsewhere", event({ content: { usage: { input_tokens: 9 } } }) + event({ message: "usage" })],
])("has no tokens for %s", (_, text) => {
  expect(read("anthropic-messages", text).tokens).toBeNull();
});

it("ignores an invalid count", () => {
  const usage = { input_tokens: -1, output_tokens: 1.5, cache_read_input_tokens: "9" };
  expect(read("anthropic-messages", event({ usage })).tokens).toEqual({
    input: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
  });
});

it("finds the error of a stream", () => {
  const found: unknown[] = [];
  const reader = createAnswerReader("openai-responses", true, (values) => {
    found.push(values.get("error") ?? values.get("response.error") ?? values.get("message"));
  });
  const text =
    event({ type: "response.failed", response: { error: { code: "usage_limit_reached", message: "No" } } }) +
    event({ type: "error", code: "server_error", message: "Oops" }) +
    event({ type: "error", error: { type: "overloaded_error", message: "Busy" } });
  reader.read(new TextEncoder().encode(text));
  expect(found).toEqual([
    { code: "usage_limit_reached", message: "No" },
    "Oops",
    { type: "overloaded_error", message: "Busy" },
  ]);
});
