// Bodies of other services: read up to a limit, and the rest is cancelled.
import { afterEach, expect, test, vi } from "vitest";
import { readErrorText, readResponseJson, readResponseText } from "../../../src/lib/response-body.ts";
import { errorBodyBytes, errorBodyMs } from "../../../src/rules/limits.ts";

afterEach(() => vi.useRealTimers());

/** A response of these pieces. `end` is what follows: the end, a failure, or silence. */
function answer(pieces: Uint8Array[], end: "closes" | "breaks" | "hangs" = "closes") {
  const left = [...pieces];
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift();
      if (piece) return controller.enqueue(piece);
      if (end === "closes") controller.close();
      if (end === "breaks") controller.error(new Error("broken"));
      return end === "hangs" ? new Promise<void>(() => {}) : undefined;
    },
    cancel() {
      isCancelled = true;
    },
  });
  return { response: new Response(body), isCancelled: () => isCancelled };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const long = bytes("x".repeat(errorBodyBytes));

test.each<[what: string, pieces: Uint8Array[], text: string | number, isCancelled: boolean]>([
  ["an empty one", [], "", false],
  ["a short one", [bytes("not "), bytes("now")], "not now", false],
  ["a character in two pieces", [bytes("é").subarray(0, 1), bytes("é").subarray(1)], "é", false],
  ["one of the most bytes", [long], errorBodyBytes, false],
  ["one with a byte more, in its own piece", [long, bytes("y")], errorBodyBytes, true],
  ["one with a byte more, in one piece", [bytes("x".repeat(errorBodyBytes + 1))], errorBodyBytes, true],
])("the text of an error, %s", async (_, pieces, text, isCancelled) => {
  const read = answer(pieces, isCancelled ? "hangs" : "closes");
  const found = await readErrorText(read.response);
  expect([typeof text === "number" ? found.length : found, read.isCancelled()]).toEqual([text, isCancelled]);
});

test("an error text that is cut off by a failure names the failure", async () => {
  expect(await readErrorText(answer([bytes("half")], "breaks").response)).toBe("half");
});

test("an error text that stops arriving names the timeout, and is cancelled", async () => {
  vi.useFakeTimers();
  const read = answer([bytes("half")], "hangs");
  const text = readErrorText(read.response);
  await vi.advanceTimersByTimeAsync(errorBodyMs);
  expect([await text, read.isCancelled()]).toEqual(["half", true]);
});

test.each<[text: string, maxBytes: number, value: unknown]>([
  ['{"a":1}', 7, { a: 1 }],
  ["null", 7, null],
])("JSON %j within %i bytes", async (text, maxBytes, value) => {
  expect(await readResponseJson(answer([bytes(text)]).response, maxBytes)).toEqual(value);
});

test.each<[text: string, maxBytes: number, error: RegExp, isCancelled: boolean]>([
  ['{"a":10}', 7, /more than 7 bytes/, true],
  ["<html>", 7, /JSON/, false],
  ["", 7, /JSON/, false],
])("JSON %j within %i bytes is refused", async (text, maxBytes, error, isCancelled) => {
  const read = answer([bytes(text)], isCancelled ? "hangs" : "closes");
  await expect(readResponseJson(read.response, maxBytes)).rejects.toThrow(error);
  expect(read.isCancelled()).toBe(isCancelled);
});

test("a response without a body is an empty text", async () => {
  expect(await readResponseText(new Response(null), 1)).toBe("");
});
