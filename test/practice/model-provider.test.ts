import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PracticeProvider, startPracticeProvider } from "../../practice/model-provider/provider.ts";
import { anthropic, openai, script, send } from "./agent.ts";
import { productTools } from "./tools.ts";

let provider: PracticeProvider;
beforeAll(async () => {
  provider = await startPracticeProvider();
});
afterAll(() => provider.close());

const post = async (
  path: string,
  body: unknown,
  headers: Record<string, string> = { "x-api-key": "sk-practice-1" },
) => {
  const answer = await fetch(provider.url + path, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const answered: unknown = await answer.json();
  return { status: answer.status, body: answered, retryAfter: answer.headers.get("retry-after") };
};
const message = (content: string, more: object = {}) => ({
  model: "m",
  max_tokens: 100,
  messages: [{ role: "user", content }],
  ...more,
});

describe("keys", () => {
  test.each([
    ["sk-practice-anything", 200, null, null],
    ["sk-practice-refused-1", 401, "authentication_error", "invalid_api_key"],
    ["sk-practice-expired-1", 401, "authentication_error", "invalid_api_key"],
    ["sk-practice-basic-1", 403, "permission_error", "model_not_found"],
    ["sk-practice-limit-1", 429, "rate_limit_error", "usage_limit_reached"],
    ["sk-real", 401, "authentication_error", "invalid_api_key"],
    ["", 401, "authentication_error", "invalid_api_key"],
  ])("%s is answered with %i on both wires", async (key, status, anthropicError, openaiError) => {
    const lines = [{ user: script({ say: "hi" }) }];
    expect(await send(provider.url, anthropic, lines, productTools, key)).toMatchObject({
      status,
      error: anthropicError,
    });
    expect(await send(provider.url, openai, lines, productTools, key)).toMatchObject({ status, error: openaiError });
  });

  test("a refusal of another key says how keys begin", async () => {
    for (const path of ["/zai/v1/messages", "/openai/v1/responses"]) {
      const refusal = await post(path, { ...message("hi"), input: "hi" }, { "x-api-key": "sk-real" });
      const says = expect.stringMatching(/^\w.*\. .*keys begin with sk-practice-/);
      expect({ path, ...refusal }).toMatchObject({ status: 401, body: { error: { message: says } } });
    }
  });

  test("a key at its limit gets the time to retry", async () => {
    const { retryAfter } = await post("/kimi/v1/messages", message("hi"), { "x-api-key": "sk-practice-limit" });
    expect(Number(retryAfter)).toBeGreaterThan(60);
  });
});

test.each(["/anthropic", "/zai", "/kimi"])(
  "%s returns a message as one body if not asked to stream",
  async (prefix) => {
    const { status, body } = await post(`${prefix}/v1/messages?beta=true`, message(script({ say: "hi" })));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: "hi" }],
      stop_reason: "end_turn",
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
  },
);

test("a response is one body if not asked to stream", async () => {
  const { body } = await post("/openai/v1/responses", { model: "m", input: script({ bash: "ls" }) });
  expect(body).toMatchObject({
    object: "response",
    status: "completed",
    output: [{ type: "function_call", name: "bash", arguments: '{"command":"ls"}' }],
    usage: { total_tokens: expect.any(Number) },
  });
});

test("Anthropic Messages events have the order of the real ones", async () => {
  const { events } = await send(provider.url, anthropic, [{ user: script({ bash: "ls" }) }], productTools);
  expect(events.filter((event, at) => event !== events[at - 1])).toEqual([
    "message_start",
    "ping",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
});

test("OpenAI Responses events have the order of the real ones", async () => {
  const { events } = await send(provider.url, openai, [{ user: script({ say: "hello there" }, { bash: "ls" }) }], []);
  expect(events.filter((event, at) => event !== events[at - 1]).map((event) => event.replace("response.", ""))).toEqual(
    [
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "completed",
    ],
  );
});

test("the same request gets the same response, including ids", async () => {
  const ask = () => post("/anthropic/v1/messages", message(script({ bash: "ls" })));
  expect(await ask()).toEqual(await ask());
});

test("tokens are counted without a response", async () => {
  const count = (characters: number) => post("/anthropic/v1/messages/count_tokens", message("x".repeat(characters)));
  expect((await count(0)).body).toEqual({ input_tokens: expect.any(Number) });
  expect((await count(4_000)).body).not.toEqual((await count(8_000)).body);
});

test("the tokens of an image do not depend on its base64", async () => {
  const tokens = async (data: string) => {
    const source = { type: "base64", media_type: "image/png", data };
    const messages = [{ role: "user", content: [{ type: "image", source }] }];
    return (await post("/anthropic/v1/messages/count_tokens", { model: "m", messages })).body;
  };
  expect(await tokens("A".repeat(1_000_000))).toEqual(await tokens("A".repeat(1_000)));
});

describe("a request that real providers refuse is refused in their format", () => {
  const unansweredCall = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "bash", input: {} }] };

  test.each([
    ["a body that is not JSON", "/anthropic/v1/messages", "{", 400],
    ["no messages", "/anthropic/v1/messages", { model: "m", messages: [] }, 400],
    [
      "a tool call without a result",
      "/anthropic/v1/messages",
      { model: "m", messages: [unansweredCall, { role: "user", content: "hi" }] },
      400,
    ],
    ["an unknown path", "/anthropic/v1/nothing", {}, 404],
  ])("%s, on Anthropic Messages", async (_what, path, body, status) => {
    const answer = await post(path, body);
    expect(answer).toMatchObject({ status, body: { type: "error", error: { type: expect.any(String) } } });
  });

  test.each([
    ["a body that is not JSON", "/openai/v1/responses", "{", 400],
    ["no input", "/openai/v1/responses", { model: "m" }, 400],
    [
      "a response that was not kept",
      "/openai/v1/responses",
      { model: "m", input: "hi", previous_response_id: "r" },
      400,
    ],
    [
      "a function call without an output",
      "/openai/v1/responses",
      { model: "m", input: [{ type: "function_call", call_id: "c1", name: "bash", arguments: "{}" }] },
      400,
    ],
    ["an unknown path", "/openai/v1/nothing", {}, 404],
  ])("%s, on OpenAI Responses", async (_what, path, body, status) => {
    const answer = await post(path, body);
    expect(answer).toMatchObject({ status, body: { error: { message: expect.any(String), param: null } } });
  });
});

test("a client that disconnects during a wait does not disturb the provider", async () => {
  const gone = new AbortController();
  const answer = await fetch(`${provider.url}/anthropic/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": "sk-practice-1" },
    body: JSON.stringify(message(script({ sleep: 600_000 }, { say: "late" }), { stream: true })),
    signal: gone.signal,
  });
  gone.abort();
  await expect(answer.text()).rejects.toThrow();
  expect(await post("/anthropic/v1/messages", message(script({ say: "well" })))).toMatchObject({ status: 200 });
});
