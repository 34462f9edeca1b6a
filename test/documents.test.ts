// The documents against the tree: every file or folder that they name exists.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const documents = [
  "README.md",
  ...readdirSync(join(root, "docs/guide")).map((name) => `docs/guide/${name}`),
  ...readdirSync(join(root, "docs/reference")).map((name) => `docs/reference/${name}`),
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "docs/decisions/README.md",
  "docs/contract/README.md",
  "docs/security.md",
  "docs/operate.md",
  "docs/cost.md",
];

/** Paths of the project by their first folder, and the targets of links. */
function pathsIn(document: string): string[] {
  const text = readFileSync(join(root, document), "utf8");
  const rooms = /[`"= ]((?:docs|src|durable-objects|sandbox-program|practice|scripts|operate|bench|test)\/[\w./-]*)/g;
  const links = /\]\((?!http|#)([^)#]+)\)/g;
  const named = [...text.matchAll(rooms)].map(([, path = ""]) => path);
  const linked = [...text.matchAll(links)].map(([, path = ""]) => join(dirname(document), path));
  return [...new Set([...named, ...linked])];
}

test.each(documents)("every path in %s exists", (document) => {
  expect(pathsIn(document).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("the documents name many paths", () => {
  expect(documents.flatMap(pathsIn).length).toBeGreaterThan(100);
});
