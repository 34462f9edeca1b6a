// The page of operations against the OpenAPI document and the command line: each operation has a
// command or a reason, and each command of the page is there.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProgram, type Program } from "../packages/cli/src/program.ts";
import { readApiDocument } from "../scripts/api-document.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/reference/operations.md"), "utf8");
const rows = [...page.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, operation = "", text = ""]) => ({
  operation,
  text,
}));

const document = readApiDocument().then(({ paths, security }) => ({
  security,
  operations: Object.values(paths).flatMap(
    (methods) => Object.values(methods) as { operationId?: string; security?: object[] }[],
  ),
}));

test("the page has every operation of the document once, and no other", async () => {
  const named = (await document).operations.flatMap(({ operationId }) => operationId ?? []);
  expect(named.length).toBeGreaterThan(100);
  expect(rows.map(({ operation }) => operation).sort()).toEqual(named.sort());
});

test("a row names a command, or says why there is none", () => {
  expect(rows.filter(({ text }) => !/^`sy [a-z ]+`|^none: \S/.test(text))).toEqual([]);
});

test("no row sends an operation that refuses API keys to `sy api`", async () => {
  const { operations, security: usual } = await document;
  // An operation with an empty list is open to all.
  const needsBrowser = operations
    .filter(({ security = usual }) => security.length > 0 && !security.some((scheme) => "apiKey" in scheme))
    .map(({ operationId }) => operationId);
  expect(needsBrowser).toContain("createWorkspace");
  expect(rows.filter(({ operation, text }) => text.startsWith("`sy api`") && needsBrowser.includes(operation))).toEqual(
    [],
  );
});

test("every command of the page is there", () => {
  const named = [...page.matchAll(/`sy ([a-z ]+?)(?: --[\w-]+)?`/g)].map(([, names = ""]) => names);
  const known = listNames(createProgram().program);
  expect(named.length).toBeGreaterThan(50);
  expect([...new Set(named)].filter((names) => !known.includes(names))).toEqual([]);
});

/** The names of all commands below one, such as `cron` and `cron ls`. */
function listNames(command: Pick<Program["program"], "commands">, before = ""): string[] {
  return command.commands.flatMap((one) => [`${before}${one.name()}`, ...listNames(one, `${before}${one.name()} `)]);
}
