// Colors of code: each line gets them also on a slow machine, and hostile code cannot hold the
// page.
import { afterEach, expect, test, vi } from "vitest";
import { colorCodes } from "../../console/src/conversation/highlighter.ts";

afterEach(() => vi.restoreAllMocks());

const findColor = (lines: Awaited<ReturnType<typeof colorCodes>>[number] | undefined, text: string) =>
  lines?.flat().find(({ content }) => content.includes(text))?.color;

/** A clock that is a second later each time it is read. */
function slowClock(): void {
  let now = 0;
  const read = () => (now += 1_000);
  vi.spyOn(Date, "now").mockImplementation(read);
  vi.spyOn(performance, "now").mockImplementation(read);
}

test("the first line of a grammar is colored, however long its expressions take", async () => {
  slowClock();
  const [lines] = await colorCodes(['export const order = "time"; // of departure'], "typescript");
  expect(findColor(lines, "time")).toContain("token-string");
  expect(findColor(lines, "of departure")).toContain("token-comment");
});

test("a line continues what the lines before it began, in its own code only", async () => {
  const [first, second] = await colorCodes(["const a = `one\r\ntwo\n\nthree`;", "three;"], "typescript");
  expect(first?.map((line) => line.map(({ content }) => content).join(""))).toEqual([
    "const a = `one",
    "two",
    "",
    "three`;",
  ]);
  expect(findColor(first, "three")).toContain("token-string");
  expect(findColor(second, "three")).not.toContain("token-string");
});

test("a long line stays plain, because some grammars take quadratic time for it", async () => {
  const long = `"${"x".repeat(600)}"`;
  const [lines] = await colorCodes([`const a = "short";\nconst b = ${long};`], "typescript");
  expect(findColor(lines, "short")).toContain("token-string");
  expect(lines?.[1]?.map(({ content }) => content)).toEqual([`const b = ${long};`]);
});

test("what would take too long in all stays plain, and is there", async () => {
  slowClock();
  const code = Array.from({ length: 10 }, (_, at) => `const a = "${at}";`).join("\n");
  const codes = await colorCodes([code, code], "typescript");
  expect(findColor(codes[0], "0")).toContain("token-string");
  expect(findColor(codes[0], "9")).toBeUndefined();
  expect(codes[1]?.map((line) => line.map(({ content }) => content).join(""))).toEqual(code.split("\n"));
  expect(codes[1]?.every((line) => line.length === 1)).toBe(true);
});
