// Texts on their way to the transcript: cut to size, rid of secrets, and questions put in order.
import { expect, test } from "vitest";
import { readQuestions } from "../../../sandbox-program/agent/tools/ask-clarification.ts";
import { capText } from "../../../sandbox-program/transcript/capped-text.ts";
import { createRedaction } from "../../../src/rules/redaction.ts";

test("a text within the limit does not change, a longer one keeps its ends and never half a character", () => {
  expect(capText("short", 100)).toBe("short");
  for (const limit of [200, 201, 202, 203]) {
    const capped = capText(`start${"漢".repeat(1_000)}end`, limit);
    expect(Buffer.byteLength(capped)).toBeLessThanOrEqual(limit);
    expect(capped).toMatch(/^start漢+\n\[… 3008 bytes in all; the middle is left out …\]\n漢+end$/);
  }
});

test("a secret is redacted in any pieces of the text", () => {
  const redaction = createRedaction(["hunter2-secret", "other-secret"]);
  const text = "a hunter2-secret, an other-secret and hunter2-secre";
  for (let size = 1; size <= text.length; size++) {
    const stream = redaction.stream();
    let shown = "";
    for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
    expect(shown + stream.flush()).toBe("a [redacted], an [redacted] and hunter2-secre");
  }
});

test("two secrets with a common start or an overlap are redacted completely", () => {
  const redaction = createRedaction(["abcdef", "abcdefgh", "fghijk"]);
  for (const text of ["abcdefgh.", "abcdef.", "abcdefghijk.", "fghijk.", "abcde."]) {
    const stream = redaction.stream();
    const shown = [...text].map((piece) => stream.push(piece)).join("") + stream.flush();
    expect(shown).toBe(redaction.whole(text));
  }
});

test("secrets within a value are redacted, also in names", () => {
  const redaction = createRedaction(["hunter2-secret"]);
  expect(redaction.value({ list: ["x hunter2-secret"], "hunter2-secret": 1 })).toEqual({
    list: ["x [redacted]"],
    "[redacted]": 1,
  });
});

const option = (title: string, isRecommended?: boolean) => ({
  title,
  description: "",
  ...(isRecommended === undefined ? {} : { isRecommended }),
});
const ask = (options: unknown[]) => readQuestions({ questions: [{ topic: "t", question: "q", options }] });

test("exactly one option of a question is recommended, and it is first", () => {
  const titles = (options: unknown[]) =>
    ask(options)[0]?.options.map(({ title, isRecommended }) => `${title}${isRecommended ? "*" : ""}`);
  expect(titles([option("a"), option("b")])).toEqual(["a*", "b"]);
  expect(titles([option("a", false), option("b", true), option("c", true)])).toEqual(["b*", "a", "c"]);
});

test("questions without 2 to 4 options are refused", () => {
  for (const count of [0, 1, 5]) expect(() => ask(Array.from({ length: count }, () => option("a")))).toThrow("2 to 4");
  expect(() => readQuestions({ questions: [] })).toThrow();
  expect(() => readQuestions(null)).toThrow();
});
