import { expect, it } from "vitest";
import { deleteReasoning } from "../../../src/model-gateway/upstream.ts";

const rewritten = (call: object) =>
  JSON.parse(new TextDecoder().decode(deleteReasoning(new TextEncoder().encode(JSON.stringify(call)))));

it("a call is sent without its reasoning and the ids that belong to it, and keeps everything else", () => {
  const input = [
    { role: "user", content: "Hello" },
    { type: "reasoning", id: "rs_1", encrypted_content: "gAAA" },
    { type: "message", id: "msg_1", role: "assistant", content: [] },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "bash", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "done" },
  ];
  expect(rewritten({ model: "gpt", store: false, input })).toEqual({
    model: "gpt",
    store: false,
    input: [
      { role: "user", content: "Hello" },
      { type: "message", role: "assistant", content: [] },
      { type: "function_call", call_id: "call_1", name: "bash", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "done" },
    ],
  });
  expect(rewritten({ model: "gpt", input: "Hello" })).toEqual({ model: "gpt", input: "Hello" });
});
