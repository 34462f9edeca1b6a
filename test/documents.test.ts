// The documents against the tree: what they name exists, and the reference of settings has them
// all.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { secretNames } from "../operate/cloudflare/secrets.ts";
import { findPracticeBlock } from "../practice/model-provider/practice-block.ts";
import { knownSettings } from "../scripts/settings.ts";

const root = join(import.meta.dirname, "..");
const documents = [
  "README.md",
  ...readdirSync(join(root, "docs/guide")).map((name) => `docs/guide/${name}`),
  ...readdirSync(join(root, "docs/reference")).map((name) => `docs/reference/${name}`),
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs/decisions")).map((name) => `docs/decisions/${name}`),
  "docs/contract/README.md",
  "docs/security.md",
  "docs/operate.md",
  "docs/cost.md",
  "docs/containers.md",
  "AGENTS.md",
  "CHANGELOG.md",
  "SECURITY.md",
];

/** Paths of the project by their first folder, and the targets of links. */
function listPaths(document: string): string[] {
  const text = readFileSync(join(root, document), "utf8");
  const rooms =
    /[`"= ]((?:docs|src|durable-objects|sandbox-program|packages|practice|scripts|operate|bench|test)\/[\w./-]*)/g;
  const links = /\]\((?!http|#)([^)#]+)\)/g;
  const named = [...text.matchAll(rooms)].map(([, path = ""]) => path);
  const linked = [...text.matchAll(links)].map(([, path = ""]) => join(dirname(document), path));
  return [...new Set([...named, ...linked])];
}

test.each(documents)("every path in %s exists", (document) => {
  expect(listPaths(document).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

const messages = ["first-turn.md", "long-turn.md", "question.md"].map((name) => `docs/quick-start/${name}`);
const scripts = [...documents, ...messages].flatMap((document) => {
  const block = findPracticeBlock(readFileSync(join(root, document), "utf8"));
  return block === null ? [] : [{ document, lines: block.lines }];
});

test.each(scripts)("the practice model reads each line of the script in $document", ({ lines }) => {
  expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => "object"));
});

test("the reference of the practice model has a script", () => {
  expect(scripts.map(({ document }) => document)).toContain("docs/reference/practice-services.md");
});

test("the documents name many paths", () => {
  expect(documents.flatMap(listPaths).length).toBeGreaterThan(100);
});

/** The names in the first column of the first table after a heading of `settings.md`. */
function settingsUnder(heading: string): string[] {
  const [, section = ""] = readFileSync(join(root, "docs/reference/settings.md"), "utf8").split(`## ${heading}\n`);
  const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  return rows.flatMap((row) =>
    [...(row.split(" | ")[0] ?? "").matchAll(/`([A-Z_0-9]+)`/g)].map(([, name = ""]) => name),
  );
}

test("the reference has every setting of one machine, and no other", () => {
  const ofOtherCommands = ["ENV_FILE", "CONTAINERS_FOLDER", "OPENCODE_BIN"];
  expect(settingsUnder("Settings of one machine").sort()).toEqual([...knownSettings, ...ofOtherCommands].sort());
});

test("the reference has every secret of a deployment, and no other", () => {
  const named = settingsUnder("Settings of a deployment").filter((name) => name !== "MODEL_LOGIN_CLIENTS");
  expect(named.sort()).toEqual([...secretNames].sort());
});
