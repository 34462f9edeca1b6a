// What the files of a plugin are: the parts that are really there, and what is not offered.
import { describe, expect, it, test } from "vitest";
import { pluginFileBytes, pluginFileCount, pluginTotalBytes } from "../../../src/rules/limits.ts";
import {
  instructionsIn,
  type PluginFile,
  pluginContent,
  readPlugin,
  tooLarge,
} from "../../../src/rules/plugin/contents.ts";
import { filledInstructions } from "../../../src/rules/plugin/instructions.ts";

const file = (path: string, text: unknown = "x"): PluginFile => ({
  path,
  isExecutable: false,
  bytes: new TextEncoder().encode(typeof text === "string" ? text : JSON.stringify(text)),
});
const skill = (name: string) => file(`skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: D\n---\nDo ${name}.`);
const command = file("commands/go.md", "---\ndescription: Goes.\nargument-hint: <where>\n---\nGo to $1.");

it("names its parts, whatever its manifest says of them", () => {
  const manifest = file(".claude-plugin/plugin.json", {
    version: "1",
    author: "A",
    description: "D",
    skills: ["./other"],
  });
  const read = readPlugin([
    manifest,
    skill("b"),
    command,
    file("commands/no name.md"),
    file("skills/c/SKILL.md", "no skill"),
  ]);
  expect(read).toMatchObject({
    components: { skills: ["b"], commands: ["go"], agents: [], hooks: [], lspServers: [] },
    callables: [
      { name: "b", description: "D", argumentHint: null },
      { name: "go", description: "Goes.", argumentHint: "<where>" },
    ],
    ...{ version: "1", author: "A", description: "D" },
  });
});

const refused: [what: string, files: PluginFile[], why: RegExp][] = [
  ["a file of MCP servers", [command, file(".mcp.json", {})], /MCP/],
  ["a file of MCP servers without a dot", [command, file("mcp.json", {})], /MCP/],
  ["a file of apps", [command, file(".app.json", {})], /chat app/],
  ["MCP servers in its manifest", [command, file(".claude-plugin/plugin.json", { mcpServers: { a: {} } })], /MCP/],
  ["apps in its manifest", [command, file(".codex-plugin/plugin.json", { apps: "./x" })], /chat app/],
  ["a manifest that is no JSON", [command, file(".claude-plugin/plugin.json", "{")], /manifest/],
  ["a manifest that is a list", [command, file(".claude-plugin/plugin.json", [])], /manifest/],
  ["nothing that can be called", [file("README.md"), file("skills/a/SKILL.md", "none")], /neither/],
  ["hooks", [command, file("hooks/hooks.json", { hooks: { Stop: [] } })], /hooks/],
  ["hooks in its manifest", [command, file(".claude-plugin/plugin.json", { hooks: "./h.json" })], /hooks/],
  ["agents", [command, file("agents/a.md")], /agents/],
  ["language servers", [command, file(".lsp.json", { go: { command: "gopls" } })], /language servers/],
];
test.each(refused)("a plugin with %s is not offered", (_, files, why) => {
  expect(readPlugin(files)).toEqual({ refusal: expect.stringMatching(why) });
});

it("holds so many files, so long", () => {
  expect(tooLarge({ size: pluginFileBytes }, pluginFileCount - 1, pluginTotalBytes - pluginFileBytes)).toBe(null);
  expect(tooLarge({ size: 0 }, pluginFileCount, 0)).toMatch(/more than/);
  expect(tooLarge({ size: pluginFileBytes + 1 }, 0, 0)).toMatch(/a file longer/);
  expect(tooLarge({ size: 1 }, 0, pluginTotalBytes)).toMatch(/together/);
});

it("has instructions by name, with the folder that they lie in", () => {
  const files = [skill("a"), command];
  expect(instructionsIn(files, "a")).toEqual({ instructions: "Do a.", folder: "skills/a" });
  expect(instructionsIn(files, "go")).toEqual({ instructions: "Go to $1.", folder: "commands" });
  expect(instructionsIn(files, "b")).toBe(null);
});

it("has one content whatever the order of its files, and another for another mode", () => {
  const [one, two] = [
    { path: "a", isExecutable: false, digest: "x" },
    { path: "b", isExecutable: true, digest: "y" },
  ];
  expect(pluginContent([one, two])).toBe(pluginContent([two, one]));
  expect(pluginContent([one, two])).not.toBe(pluginContent([{ ...one, isExecutable: true }, two]));
});

describe("instructions", () => {
  const folders = { pluginFolder: "/p", skillFolder: "/p/s" };
  const variable = (name: string) => `${"$"}{${name}}`;
  test.each([
    ["$ARGUMENTS|$1|$2|$3", "a  b", "a  b|a|b|"],
    ["$10 $0 $ARGUMENTSX", "a b", "$10 $0 $ARGUMENTSX"],
    [
      `${variable("CLAUDE_PLUGIN_ROOT")} ${variable("CLAUDE_SKILL_DIR")} ${variable("HOME")}`,
      "",
      `/p /p/s ${variable("HOME")}`,
    ],
    ["$1 $ARGUMENTS", "$2 $ARGUMENTS", "$2 $2 $ARGUMENTS"],
  ])("%j are filled with %j", (text, argument, expected) => {
    expect(filledInstructions(text, { argument, ...folders })).toBe(expected);
  });
});
