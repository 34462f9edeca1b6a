// The manifest of a marketplace, in both formats, and every source that is not a repository of the
// code host.
import { describe, expect, it, test } from "vitest";
import { readManifest, readMarketplaces } from "../../../src/plugin/rules/offered.ts";
import { getPluginProvider, isPluginId } from "../../../src/plugin/rules/plugin.ts";
import { marketplacePluginsMax } from "../../../src/rules/limits.ts";

const at = { repository: "acme/market", sha: "a".repeat(40), hostUrl: "https://github.com" };
const createManifest = (plugins: unknown, more = {}) =>
  readManifest(JSON.stringify({ name: "market", plugins, ...more }), at);
function only(plugin: Record<string, unknown>, more = {}) {
  const manifest = createManifest([{ name: "a", ...plugin }], more);
  if (typeof manifest === "string") throw new Error(manifest);
  return manifest.plugins[0];
}
const here = (path: string) => ({ repository: at.repository, path, ref: null, sha: at.sha });
const sha = "b".repeat(40);

const sources: [what: string, source: unknown, expected: unknown][] = [
  ["a folder", "./plugins/a", here("plugins/a")],
  ["a folder without a dot", "plugins/a/", here("plugins/a")],
  ["the root", "./", here("")],
  ["a local folder", { source: "local", path: "./plugins/a" }, here("plugins/a")],
  [
    "another repository",
    { source: "github", repo: "o/r", ref: "v1" },
    { repository: "o/r", path: "", ref: "v1", sha: null },
  ],
  ["a commit of it", { source: "github", repo: "o/r", sha }, { repository: "o/r", path: "", ref: null, sha }],
  [
    "its address",
    { source: "url", url: "https://github.com/o/r.git" },
    { repository: "o/r", path: "", ref: null, sha: null },
  ],
  [
    "a folder of its address",
    { source: "git-subdir", url: "https://github.com/o/r", path: "x/./y", sha },
    { repository: "o/r", path: "x/y", ref: null, sha },
  ],
];

test.each(sources)("a source is %s", (_, source, expected) => {
  expect(only({ source })).toMatchObject({ source: expected, refusal: null });
});

test("folders lie below the root that the manifest names", () => {
  expect(only({ source: "a" }, { metadata: { pluginRoot: "./plugins" } })?.source).toEqual(here("plugins/a"));
});

const refused: unknown[] = [
  ...["../a", "./a/../../b", "a\\b", null, 7, ["./a"], {}],
  ...["http://github.com/o/r", "https://github.com:8443/o/r", "https://evil.example/o/r", "git@github.com:o/r.git"],
  ...["https://u:p@github.com/o/r", "https://github.com/o", "https://github.com/o/r/tree/x"],
  ...[
    "file:///etc/passwd",
    "https://github.com/o/r?x=1",
    "https://github.com.evil.example/o/r",
    "http://127.0.0.1/o/r",
  ],
].map((value) => (typeof value === "string" && value.includes(":") ? { source: "url", url: value } : value));
const refusedMore: unknown[] = [
  { source: "github", repo: "o/r/x" },
  { source: "github", repo: "../r" },
  { source: "github", repo: "o/r", ref: "../x" },
  { source: "github", repo: "o/r", ref: "a b" },
  { source: "github", repo: "o/r", sha: "abc" },
  { source: "git-subdir", url: "https://github.com/o/r", path: "../x" },
  { source: "npm", package: "a" },
];

test.each([...refused, ...refusedMore])("%j is no source, and the plugin is not offered", (source) => {
  expect(only({ source })).toMatchObject({ source: null, refusal: expect.stringMatching(/source/) });
});

describe("an entry", () => {
  it.each([
    ["mcpServers", { x: {} }, /MCP/],
    ["mcpServers", "./.mcp.json", /MCP/],
    ["apps", "./.app.json", /chat app/],
  ])("with %s is not offered", (field, value, why) => {
    expect(only({ source: "./a", [field]: value })).toMatchObject({
      source: null,
      refusal: expect.stringMatching(why),
    });
  });

  it("may have empty ones, and texts of any length and kind", () => {
    const entry = only({
      source: "./a",
      mcpServers: {},
      apps: [],
      description: "d".repeat(9_999),
      version: 7,
      category: "a\nb",
    });
    expect([entry?.refusal, entry?.description?.length, entry?.version, entry?.category]).toEqual([
      null,
      1_000,
      null,
      "a b",
    ]);
  });

  it("without a name that is valid in an id is left out, and of equal names the first counts", () => {
    const manifest = createManifest([
      { name: "a b" },
      { name: "a@b" },
      7,
      null,
      { name: "a", version: "1" },
      { name: "a", version: "2" },
    ]);
    expect(typeof manifest !== "string" && manifest.plugins.map(({ name, version }) => [name, version])).toEqual([
      ["a", "1"],
    ]);
  });
});

it.each([
  ["no JSON", "{"],
  ["a list", "[]"],
  ["without a name", JSON.stringify({ plugins: [] })],
  ["with a name that is none", JSON.stringify({ name: "a@b", plugins: [] })],
  ["without plugins", JSON.stringify({ name: "a" })],
  ["with too many", JSON.stringify({ name: "a", plugins: Array(marketplacePluginsMax + 1).fill(7) })],
])("a manifest that is %s is refused", (_, text) => {
  expect(readManifest(text, at)).toEqual(expect.any(String));
});

it("the setting names a provider, a repository and maybe a ref", () => {
  expect(readMarketplaces(undefined)).toEqual([]);
  const list = [{ provider: "openai", repository: "o/r" }];
  expect(readMarketplaces(JSON.stringify(list))).toEqual([{ ...list[0], ref: null }]);
  for (const wrong of [{}, [{ provider: "zai", repository: "o/r" }], [{ provider: "openai", repository: "https://x" }]])
    expect(() => readMarketplaces(JSON.stringify(wrong))).toThrow(/MARKETPLACES/);
});

it("an id is a plugin's and a marketplace's name", () => {
  expect(["a@b", "a-b.c@d_e"].map(isPluginId)).toEqual([true, true]);
  expect(["plain", "@", "a@", "@b", "a@b@c", "a b@c", "../a@b", ""].filter(isPluginId)).toEqual([]);
});

it("openai's plugins serve openai's sessions, anthropic's all others", () => {
  expect((["anthropic", "openai", "zai", "kimi"] as const).map(getPluginProvider)).toEqual([
    ...["anthropic", "openai", "anthropic", "anthropic"],
  ]);
});
