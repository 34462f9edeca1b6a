import { expect, it } from "vitest";
import { parseOpening } from "../../../src/model-gateway/rules/stream-event.ts";

const event = (data: object, name = "e") => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const start = event({ type: "message_start", message: {} });
const created = event({ type: "response.created" }) + event({ type: "response.in_progress" });
const error = (type: string, message = "No.") => event({ type: "error", error: { type, message } });
const failed = (code: string) => event({ type: "response.failed", response: { error: { code, message: "No." } } });

it.each([
  ["nothing", "", "open"],
  ["a start", start, "open"],
  ["a start and a ping", start + event({ type: "ping" }), "open"],
  ["half an error", start + error("rate_limit_error").slice(0, -1), "open"],
  ["a comment", `: hello\n\n${start}`, "open"],
  ["a start on the responses wire", created, "open"],
  ["a block of content", start + event({ type: "content_block_start" }), "content"],
  ["an error behind content", start + event({ type: "content_block_start" }) + error("rate_limit_error"), "content"],
  ["an item of output", created + event({ type: "response.output_item.added" }), "content"],
  ["lines that end otherwise", start.replaceAll("\n", "\r\n"), "open"],
])("%s is %s", (_, text, type) => {
  expect(parseOpening(text).type).toBe(type);
});

it.each([
  ["rate_limit_error", 429],
  ["authentication_error", 401],
  ["permission_error", 403],
  ["overloaded_error", 529],
  ["api_error", 500],
])("the error %s of the Messages API counts as %i", (type, status) => {
  const opening = { type: "error", status, body: { error: { type, code: null, message: "No." } } };
  expect(parseOpening(start + error(type))).toEqual(opening);
});

it.each([
  ["usage_limit_reached", 429],
  ["invalid_encrypted_content", 400],
  ["server_error", 500],
])("the failure %s of the Responses API counts as %i", (code, status) => {
  expect(parseOpening(created + failed(code))).toEqual({
    type: "error",
    status,
    body: { error: { code, message: "No." } },
  });
  expect(parseOpening(created + event({ type: "error", code, message: "No." }))).toMatchObject({
    type: "error",
    status,
  });
});
