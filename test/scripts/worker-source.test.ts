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
  ["a summary", `endpoint({ summary: "List them.", path })`, "endpoint({  path })"],
  ["a tag", `endpoint({ tag: "Turns", path })`, "endpoint({  path })"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
  ["a summary in a template", "endpoint({ summary: `At most ${most}.`, path })", "endpoint({  path })"],
  ["a response", "endpoint({ response: { data: z.object({ a }) }, path })", "endpoint({ path })"],
  ["refusals", `endpoint({\n  refusals: ["CONFLICT", ...more],\n  path,\n})`, "endpoint({\n\n  path,\n})"],
  ["refusals of a constant", "endpoint({\n  refusals: wake,\n  path,\n})", "endpoint({\n\n  path,\n})"],
])("%s is left out", (_, text, left) => {
  expect(toWorkerSource(file, text)).toBe(left);
});

test("a constant of the API is marked, so that the build can leave it out where nothing uses it", () => {
  const text = [
    "const schema = z",
    "  .object({ a: z.string() })",
    `  .meta({ id: "A;" });`,
    "export const pairs: [string, number][] = [[other.name, 1]];",
    "",
    "/** Not a value. */",
    "export const toWire = (one: string) => one;",
    "export const last = schema.nullable();",
  ];
  expect(toWorkerSource(file, text.join("\n")).split("\n")).toEqual([
    "const schema = /* @__PURE__ */ (() => (z",
    "  .object({ a: z.string() })",
    "  ))();",
    "export const pairs: [string, number][] = /* @__PURE__ */ (() => ([[other.name, 1]]))();",
    ...text.slice(4, 7),
    "export const last = /* @__PURE__ */ (() => (schema.nullable()))();",
  ]);
  expect(toWorkerSource("src/project/start.ts", text[3] ?? "")).toBe(text[3]);
});

test("a response or a tag that several endpoints of a file have is left out of each", () => {
  const list = (shared: string) => `const list = endpoint({\n  ${shared},\n  handle,\n});`;
  for (const shared of ["tag", "response", "response: listed"])
    expect(toWorkerSource("src/project/list.ts", list(shared))).toBe(list(shared));
  for (const shared of ["tag", "response", "response: listed", "response: { data: z.array(a) }"])
    expect(toWorkerSource("src/project/routes.ts", `${list(shared)}\n`)).toMatch(/endpoint\(\{\n *\n {2}handle,/);
});

test("lines of SQL are joined, and lines of the source keep their numbers", () => {
  const text = "const sql = `SELECT a\n    FROM b\n    -- A comment.\n    WHERE c`;";
  expect(toWorkerSource("durable-objects/cron/log.ts", text)).toBe(
    "const sql = `SELECT a \\\nFROM b\n    -- A comment.\n    WHERE c`;",
  );
});

test("the indexes of a table are left out, its columns stay, and an unused table may be dropped", () => {
  const columns = `sqliteTable(\n  "rows",\n  { id: text() },`;
  const indexes = `\n  (row) => [\n    index("rows_by_id").on(row.id),\n  ],`;
  for (const tables of ["src/project/tables.ts", "durable-objects/cron/tables/rows.ts"])
    expect(toWorkerSource(tables, `export const rows = ${columns}${indexes}\n);\n`)).toBe(
      `export const rows = /* @__PURE__ */ (() => (${columns}\n\n\n\n)))();\n`,
    );
});

test.each([
  ["the answer of a database", "const { meta } = await run(); return meta.changes > 0;"],
  ["a field named summary", `const run = { summary: "Done.", path };`],
])("%s stays", (_, text) => {
  expect(toWorkerSource("src/project/list.ts", text)).toBe(text);
});

test("lines keep their numbers", () => {
  const text = `const name = z\n  .string()\n  .describe(\n    "A name.",\n  );\nthrow new Error(name);`;
  expect(toWorkerSource(file, text).split("\n").indexOf("throw new Error(name);")).toBe(5);
});

test("the tools of MCP keep their words, which they show at run time", () => {
  const text = `z.string().describe("A name.")`;
  expect(toWorkerSource("src/mcp/tools/sessions.ts", text)).toBe(text);
});
