// The source of the Worker as it runs: without the words that only the OpenAPI document needs.
import { expect, test } from "vitest";
import { toWorkerSource } from "../../scripts/worker-source.ts";

const file = "src/project/wire.ts";

test.each([
  ["a description", `z.string().describe("A name.")`, "z.string()"],
  ["a description before another call", `z.string().describe("A name.").min(1)`, "z.string().min(1)"],
  ["a description with brackets and quotes", `z.string().describe("A ) \\" ( name.").min(1)`, "z.string().min(1)"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
  ["a template", "z.int().describe(`At most ${limit(`a)`)} rows.`)", "z.int()"],
  ["examples", `z.object({ a }).meta({ id: "A", examples: [{ a: ")" }] })`, "z.object({ a })"],
  ["a summary", `endpoint({ summary: "List them.", path })`, `endpoint({ summary: "", path })`],
])("%s is left out", (_, text, left) => {
  expect(toWorkerSource(file, text)).toBe(left);
});

test.each([
  ["the answer of a database", "const { meta } = await run(); return meta.changes > 0;"],
  ["a field named summary", `const run = { summary: "Done.", path };`],
])("%s stays", (_, text) => {
  expect(toWorkerSource(file, text)).toBe(text);
});

test("lines keep their numbers", () => {
  const text = `const name = z\n  .string()\n  .describe(\n    "A name.",\n  );\nthrow new Error(name);`;
  expect(toWorkerSource(file, text).split("\n").indexOf("throw new Error(name);")).toBe(5);
});

test("the tools of MCP keep their words, which they show at run time", () => {
  const text = `z.string().describe("A name.")`;
  expect(toWorkerSource("src/mcp/tools/sessions.ts", text)).toBe(text);
});
