// The plugins that a search finds, and their parts in words.
import { expect, test } from "vitest";
import { findPlugins, listParts, type Plugin } from "../../console/src/account/plugin-words.ts";

const nothing = { skills: [], commands: [], agents: [], hooks: [], lspServers: [] };
const plugin = (name: string, fields: Partial<Plugin> = {}): Plugin => ({
  ...{ id: `${name}@market`, provider: "anthropic", name, marketplace: "market", description: null, category: null },
  ...{ author: null, version: null, components: nothing, enabled: false, lastInstallFailure: null, workspaces: [] },
  ...fields,
});

test.each([
  ["", "b a c"],
  ["MARKET", "b a c"],
  ["sorts  c", "c"],
  ["nothing", ""],
])("the search “%s” finds “%s”, those that are on first", (search, names) => {
  const plugins = [plugin("c", { description: "Sorts things." }), plugin("b", { enabled: true }), plugin("a")];
  expect(
    findPlugins(plugins, search)
      .map(({ name }) => name)
      .join(" "),
  ).toBe(names);
});

test("the parts of a plugin are counted by kind", () => {
  const parts = listParts({ components: { ...nothing, skills: ["a", "b"], lspServers: ["go"] } });
  expect(parts).toEqual([
    { words: "2 skills", names: ["a", "b"] },
    { words: "1 language server", names: ["go"] },
  ]);
});
