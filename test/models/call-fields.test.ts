// The deciding fields of a model call are found wherever they stand and however the call is cut into pieces; what a lenient parser could
// read otherwise is refused.
import { describe, expect, test } from "vitest";
import { openCallReader } from "../../src/models/call-fields.ts";

/** Reads a text in pieces of so many bytes; null for one that cannot be read. */
function read(text: string, pieceBytes = text.length * 4 + 1): Record<string, unknown> | null {
  const bytes = new TextEncoder().encode(text);
  const reader = openCallReader();
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.read(bytes.subarray(at, at + pieceBytes));
  return reader.isWhole() ? Object.fromEntries(reader.fields) : null;
}

const call = {
  messages: [
    { role: "user", content: 'say "model": "other", \\" and {"store": true} \\\\' },
    { role: "user", content: [{ type: "text", text: "ü🚀\u0000\n", model: "inner", background: true }] },
  ],
  model: "claude-opus-5-5",
  max_tokens: 16.5e3,
  stream: true,
  store: false,
  metadata: { model: "inner", nested: [[], {}, [null]] },
  service_tier: null,
  speed: "fast",
  '"': 'escaped \\" name',
};
const found = { model: "claude-opus-5-5", store: false, service_tier: null, speed: "fast" };

test.each([1, 2, 3, 7, 64, 100_000])(
  "only the fields of the outer object are read, in pieces of %i bytes",
  (pieceBytes) => {
    expect(read(JSON.stringify(call), pieceBytes)).toEqual(found);
    expect(read(` ${JSON.stringify(call, null, 2)}\n`, pieceBytes)).toEqual(found);
  },
);

test.each<[what: string, text: string, fields: Record<string, unknown> | null]>([
  ["an escaped name is the name", '{"mod\\u0065l": "m"}', { model: "m" }],
  ["an escaped value is the value", '{"model": "\\u006d"}', { model: "m" }],
  [
    "an object in its place is named",
    '{"model": {"a": "m"}, "store": [false]}',
    { model: "composite", store: "composite" },
  ],
  ["a number is a number", '{"store": 1}', { store: 1 }],
  ["an empty object has none", "{}", {}],
  ["a field that stands twice", '{"model": "a", "model": "b"}', null],
  ["a field in another case", '{"model": "a", "Model": "b"}', null],
  ["a value that is very long", `{"model": "${"m".repeat(1_000)}"}`, null],
  ["an object that does not end", '{"model": "a"', null],
  ["a string that does not end", '{"model": "a}', null],
  ["two objects", '{"model": "a"} {"model": "b"}', null],
  ["an array", '[{"model": "a"}]', null],
  ["a byte order mark", '\ufeff{"model": "a"}', null],
  ["a comment", '{"a": 1 /* "x */, "model": "a" /* " */}', null],
  ["single quotes", "{'model': 'a'}", null],
  ["a name without quotes", "{store: true}", null],
  ["a literal for a name", '{true: "a", "model": "a"}', null],
  ["two values", '{"model": "a" "b"}', null],
  ["two colons", '{"model": "a": "b"}', null],
  ["a name alone", '{"model"}', null],
  ["nothing", "", null],
])("%s", (_, text, fields) => {
  expect(read(text)).toEqual(fields);
  expect(read(text, 1)).toEqual(fields);
});

describe("the result equals JSON.parse", () => {
  test("strings with quotes and backslashes end correctly in any pieces", () => {
    for (let number = 0; number < 1_024; number++) {
      const text = [...number.toString(4)].map((digit) => ['"', "\\", "x", "}"][Number(digit)]).join("");
      const whole = JSON.stringify({ input: [text], model: text });
      for (const pieceBytes of [1, 5, whole.length]) expect(read(whole, pieceBytes)).toEqual({ model: text });
    }
  });
});
