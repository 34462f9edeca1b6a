// Code in the messages of people.
import { expect, test } from "vitest";
import { splitFences } from "../../console/src/conversation/fences.ts";

const words = (text: string) => ({ isCode: false, text });
const code = (text: string) => ({ isCode: true, text });

test.each<[string, ReturnType<typeof splitFences>]>([
  ["Sort it.", [words("Sort it.")]],
  ["", []],
  [
    "Run this:\n```sh\nnpm test\n\nnpm start\n```\nThen stop.",
    [words("Run this:"), code("npm test\n\nnpm start"), words("Then stop.")],
  ],
  ["```\n  indented\n```", [code("  indented")]],
  ["````md\n```\nnested\n```\n````", [code("```\nnested\n```")]],
  ["~~~\na\n```\nb\n~~~", [code("a\n```\nb")]],
  ["Not closed:\n```\nopen", [words("Not closed:"), code("open")]],
  ["A `tick` and ``` inside a line", [words("A `tick` and ``` inside a line")]],
  ["```\n```", []],
])("%j", (text, parts) => {
  expect(splitFences(text)).toEqual(parts);
});
