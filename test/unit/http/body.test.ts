// Bodies that are read whole: their memory grows with the received bytes, is shared by all, and is
// not kept for a slow sender.
import { describe, expect, test } from "vitest";
import { parseJson } from "../../../src/http/body.ts";
import { createBodyMemory, releaseBytes } from "../../../src/lib/byte-budget.ts";
import { readBytes } from "../../../src/lib/request-bytes.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";

const announced = 25 * 1_024 * 1_024;

/**
 * A request that announces a length, sends these pieces, and then either ends or sends nothing
 * more.
 */
function sending(pieces: Uint8Array[], end: "ends" | "waits" = "ends"): Request {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = left.shift();
      if (piece) controller.enqueue(piece);
      else if (end === "ends") controller.close();
      else await new Promise(() => undefined);
    },
  });
  const headers = { "content-length": String(announced) };
  return new Request("http://service.test/", { method: "POST", headers, body, duplex: "half" } as RequestInit);
}

const piece = (bytes: number) => new Uint8Array(bytes).fill(7);

test("an announced length takes no memory: the memory grows with the received bytes", async () => {
  const memory = createBodyMemory(1_000);
  const requests = Array.from({ length: 40 }, () => sending([piece(10)]));
  for (const request of requests) expect(await readBytes(request, announced, { memory })).toEqual(piece(10));
});

test("a body is read complete, in any number of pieces, up to its limit", async () => {
  const memory = createBodyMemory(100_000);
  const pieces = Array.from({ length: 100 }, (_, at) => piece(at));
  expect(await readBytes(sending(pieces), 4_950, { memory })).toEqual(piece(4_950));
  expect(await readBytes(sending(pieces), 4_949, { memory })).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
});

test("bodies that together exceed the memory are refused, and fit after others are done", async () => {
  const memory = createBodyMemory(100);
  const first = sending([piece(60)]);
  await readBytes(first, announced, { memory });
  const refused = await readBytes(sending([piece(60)]), announced, { memory });
  expect(refused).toMatchObject({ code: "SERVICE_UNAVAILABLE", retryAfterSeconds: 5 });
  releaseBytes(first);
  releaseBytes(first);
  expect(isRefusal(await readBytes(sending([piece(60)]), announced, { memory }))).toBe(false);
  expect(memory.take(41)).toBe(false);
});

describe("a body that arrives too slowly is aborted, and its memory is released", () => {
  test.each([
    ["without a byte", { stallMs: 20, wholeMs: 60_000 }],
    ["in all", { stallMs: 60_000, wholeMs: 20 }],
  ])("%s", async (_, patience) => {
    const memory = createBodyMemory(100);
    const refused = await readBytes(sending([piece(60)], "waits"), announced, { memory, ...patience });
    expect(refused).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("too slowly") });
    expect(memory.take(100)).toBe(true);
  });
});

test.each([
  ['{"setup":[],"env":{"__proto__":"lost"}}', "env.__proto__"],
  ['{"services":[{"env":{"\\u005f_proto__":"lost"}}]}', "services.0.env.__proto__"],
  ['{"__proto__":{}}', "__proto__"],
])("a name that validation would drop is refused: %s", (text, path) => {
  expect(parseJson(text)).toMatchObject({ code: "VALIDATION_ERROR", details: [{ path }] });
});

test("a text with that name, and a deep document, are accepted", () => {
  expect(parseJson('{"a":"__proto__"}')).toEqual({ json: { a: "__proto__" } });
  const deep = `${"[".repeat(2_000)}"__proto__"${"]".repeat(2_000)}`;
  expect(parseJson(deep)).not.toHaveProperty("code");
});
