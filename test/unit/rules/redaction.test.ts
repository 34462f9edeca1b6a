// What a redaction hides: a secret however a program shows it, whole and in pieces.
import { describe, expect, test } from "vitest";
import { createRedaction } from "../../../src/rules/redaction.ts";

const begin = "-----BEGIN PRIVATE KEY-----";
const [one, two] = ["MIIEvQIBADANBgkqhkiG9w0BAQEF", "AASCBKcwggSjAgEAAoIBAQC7VJTU"];
const end = "-----END PRIVATE KEY-----";
const key = `${begin}\n${one}\n${two}\nt9Q=\n${end}\n`;
const hidden = "[redacted]";

const cases: [what: string, secret: string, text: string, shown: string][] = [
  ["as it is", key, `${key}.`, `${hidden}.`],
  ["without its last line break", key, `<${key.trim()}>`, `<${hidden}>`],
  ["as JSON", key, JSON.stringify({ key }), `{"key":"${hidden}\\n"}`],
  ["as JSON within JSON", key, JSON.stringify(JSON.stringify(one)), `"\\"${hidden}\\""`],
  [
    "with other line breaks",
    key,
    key.replaceAll("\n", "\r\n"),
    `${hidden}\r\n${hidden}\r\n${hidden}\r\nt9Q=\r\n${hidden}\r\n`,
  ],
  ["with an indent", key, `  ${one}\n  ${two}\n  t9Q=\n`, `  ${hidden}\n  ${hidden}\n  t9Q=\n`],
  ["as lines of a diff", key, `+${one}\n-${two}\n`, `+${hidden}\n-${hidden}\n`],
  ["with its line breaks written out", key.replaceAll("\n", "\\n"), `${one}\n${two}`, `${hidden}\n${hidden}`],
  ["with quotes and backslashes, as JSON", 'pass"word\\1', JSON.stringify('pass"word\\1'), `"${hidden}"`],
  ["but not its short lines", "first\nsecond line\n", "the first, the second line", "the first, the second line"],
  ["but no space", `first\n${" ".repeat(40)}\n`, " ".repeat(40), " ".repeat(40)],
  ["but not what is shorter than six characters", " a b ", "a b", "a b"],
];

describe.each(cases)("a secret is hidden %s", (_, secret, text, shown) => {
  test("in a text", () => expect(createRedaction([secret]).whole(text)).toBe(shown));

  test("that is added later", () => {
    const redaction = createRedaction(["another secret"]);
    redaction.add([secret]);
    expect(redaction.whole(text)).toBe(shown);
  });

  test.each([1, 7, 1_000])("in pieces of %d characters", (length) => {
    const stream = createRedaction([secret]).stream();
    const pieces = text.match(new RegExp(`[^]{1,${length}}`, "g")) ?? [];
    expect(pieces.map(stream.push).join("") + stream.flush()).toBe(shown);
  });
});

describe.each([
  ["that overlap", ["abcdef", "defghijk"], "xabcdefghijk.", `x${hidden}.`],
  ["that contain each other", ["abcdef", "abcdefgh"], "abcdefg abcdefgh", `${hidden}g ${hidden}`],
  ["that overlap themselves", ["ababab"], "cabababab-ababa", `c${hidden}-ababa`],
  ["that follow each other", ["abcdef"], "abcdefabcdef", `${hidden}${hidden}`],
  ["that begin alike", ["aaaaaab"], "aaaaaaaaaab", `aaaa${hidden}`],
])("every character of secrets %s is hidden", (_, secrets, text, shown) => {
  const redaction = createRedaction(secrets);
  test("in a text", () => expect(redaction.whole(text)).toBe(shown));

  test("in pieces of any length", () => {
    for (let length = 1; length <= text.length; length++) {
      const stream = redaction.stream();
      const pieces = text.match(new RegExp(`.{1,${length}}`, "g")) ?? [];
      expect(pieces.map(stream.push).join("") + stream.flush()).toBe(shown);
    }
  });
});

test("of a long run that repeats a secret, a stream holds no more than a start of the secret", () => {
  const stream = createRedaction(["------"]).stream();
  const shown = Array.from("-".repeat(1_000), stream.push).filter(Boolean);
  expect([...shown, stream.push(" end"), stream.flush()]).toEqual([hidden, " end", ""]);
});

test.each([
  ["within a secret", "the secret_of_ten", ["secret_of_ten_more"], `the ${hidden}`],
  ["within a secret that overlaps another", "abcdefghij", ["abcdef", "efghijklm"], hidden],
  ["within its first characters, of ordinary text,", "the secre", ["secret_of_ten_more"], "the secre"],
])("a text that is cut %s shows no part of a secret", (_, text, secrets, shown) => {
  expect(createRedaction(secrets).cut(text)).toBe(shown);
});

test("a document with very many lines does not keep a key from being hidden", () => {
  const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at} of the document`);
  const { whole } = createRedaction([lines.join("\n"), key]);
  expect(whole(`> ${two}`)).toBe(`> ${hidden}`);
  expect([whole(lines[0] ?? ""), whole(lines[9_999] ?? "")]).toEqual([hidden, lines[9_999]]);
});
