// The contents of a plugin's files: the parts that exist, and what is not offered.
import { describe, expect, it, test } from "vitest";
import { formatInstructions } from "../../../src/plugin/rules/agent.ts";
import { readParts } from "../../../src/plugin/rules/components.ts";
import {
  checkSize,
  findInstructions,
  formatPluginContent,
  type PluginFile,
  readPlugin,
} from "../../../src/plugin/rules/contents.ts";
import type { PluginComponents } from "../../../src/plugin/rules/plugin.ts";
import { pluginFileBytes, pluginFileCount, pluginTotalBytes } from "../../../src/rules/limits.ts";

const file = (path: string, text: unknown = "x"): PluginFile => ({
  path,
  isExecutable: false,
  bytes: new TextEncoder().encode(typeof text === "string" ? text : JSON.stringify(text)),
});
const skill = (name: string) => file(`skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: D\n---\nDo ${name}.`);
const command = file("commands/go.md", "---\ndescription: Goes.\nargument-hint: <where>\n---\nGo to $1.");

it("names its parts, whatever its manifest says about them", () => {
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

const manifest = (fields: unknown) => file(".claude-plugin/plugin.json", fields);
const hook = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }] };
const server = { command: "gopls", extensionToLanguage: { ".go": "go" } };
const withMatcher = (matcher: unknown) => ({ hooks: { Stop: [{ matcher, hooks: [] }] } });

const refused: [what: string, files: PluginFile[], why: RegExp][] = [
  ["a file of MCP servers", [command, file(".mcp.json", {})], /MCP/],
  ["a file of MCP servers without a dot", [command, file("mcp.json", {})], /MCP/],
  ["a file of apps", [command, file(".app.json", {})], /chat app/],
  ["MCP servers in its manifest", [command, manifest({ mcpServers: { a: {} } })], /MCP/],
  ["a path of MCP servers in its manifest", [command, manifest({ mcpServers: "./servers.json" })], /MCP/],
  ["apps in its manifest", [command, file(".codex-plugin/plugin.json", { apps: "./x" })], /chat app/],
  ["a manifest that is no JSON", [command, manifest("{")], /manifest/],
  ["a manifest that is a list", [command, manifest([])], /manifest/],
  ["nothing that can be read", [file("README.md"), file("skills/a/SKILL.md", "none")], /no skill/],
  ["hooks that are no JSON", [command, file("hooks/hooks.json", "{")], /hooks\/hooks.json is no JSON/],
  ["hooks that are not there", [command, manifest({ hooks: "./h.json" })], /does not have/],
  ["a matcher that is no pattern", [file("hooks/hooks.json", withMatcher("("))], /matcher/],
  ["a matcher that looks ahead", [file("hooks/hooks.json", withMatcher("(?!Bash).*"))], /matcher/],
  [
    "a hook without a command",
    [manifest({ hooks: { Stop: [{ hooks: [{ type: "command" }] }] } })],
    /without a command/,
  ],
  ["a server without a command", [file(".lsp.json", { go: { ...server, command: 1 } })], /without a command/],
  ["a server without files", [file(".lsp.json", { go: { command: "gopls" } })], /endings/],
  ["a server that is reached by a socket", [file(".lsp.json", { go: { ...server, transport: "socket" } })], /stdio/],
  ...["../x", "/etc", "./a/../../x", "a\\b", "C:/x", "./a\0b"].flatMap((path): typeof refused => [
    [`skills at ${JSON.stringify(path)}`, [command, manifest({ skills: path })], /leads out/],
    [`hooks at ${JSON.stringify(path)}`, [command, manifest({ hooks: [path] })], /leads out/],
  ]),
];
test.each(refused)("a plugin with %s is not offered", (_, files, why) => {
  expect(readPlugin(files)).toEqual({ refusal: expect.stringMatching(why) });
});

const agent = (path: string, text = "---\ndescription: D\n---\nDo it.") => file(path, text);
const named: [what: string, files: PluginFile[], components: Partial<PluginComponents>][] = [
  ["agents by their file", [agent("agents/a.md"), agent("agents/empty.md", "")], { agents: ["a"] }],
  ["agents by their own name", [agent("agents/a.md", "---\nname: helper\n---\nHelp.")], { agents: ["helper"] }],
  ["hooks by their events", [file("hooks/hooks.json", { hooks: hook })], { hooks: ["PreToolUse"] }],
  [
    "no hooks of events that turns do not have, or that are no commands",
    [
      command,
      file("hooks/hooks.json", { hooks: { PreCompact: hook.PreToolUse, Stop: [{ hooks: [{ type: "prompt" }] }] } }),
    ],
    { commands: ["go"] },
  ],
  ["servers by their names", [file(".lsp.json", { go: server })], { lspServers: ["go"] }],
  [
    "what its manifest says",
    [manifest({ hooks: hook, lspServers: { go: server } })],
    { hooks: ["PreToolUse"], lspServers: ["go"] },
  ],
  [
    "what its manifest has a path to, besides the usual folders",
    [
      manifest({
        ...{ skills: "./more/", commands: ["./own/one.md", "own/two"], agents: `${"$"}{CLAUDE_PLUGIN_ROOT}/helpers` },
        ...{ hooks: ["./h.json", { hooks: { Stop: hook.PreToolUse } }], lspServers: "./servers.json" },
      }),
      ...[skill("usual"), file("more/b/SKILL.md", "---\nname: b\ndescription: D\n---\nDo b.")],
      ...[command, file("own/one.md"), file("own/two/x.md"), file("own/two/y/z.md"), agent("helpers/h.md")],
      ...[file("h.json", { hooks: hook }), file("servers.json", { go: server })],
    ],
    {
      ...{ skills: ["usual", "b"], commands: ["go", "one", "x"], agents: ["h"] },
      ...{ hooks: ["PreToolUse", "Stop"], lspServers: ["go"] },
    },
  ],
];
test.each(named)("names %s", (_, files, components) => {
  const none = { skills: [], commands: [], agents: [], hooks: [], lspServers: [] };
  expect(readPlugin(files)).toMatchObject({ components: { ...none, ...components } });
});

it("contains this many files of this length", () => {
  expect(checkSize({ size: pluginFileBytes }, pluginFileCount - 1, pluginTotalBytes - pluginFileBytes)).toBe(null);
  expect(checkSize({ size: 0 }, pluginFileCount, 0)).toMatch(/more than/);
  expect(checkSize({ size: pluginFileBytes + 1 }, 0, 0)).toMatch(/a file longer/);
  expect(checkSize({ size: 1 }, 0, pluginTotalBytes)).toMatch(/together/);
});

it("has instructions by name, with the folder that they lie in", () => {
  const parts = readParts([skill("a"), command]);
  if ("refusal" in parts) throw new Error(parts.refusal);
  expect(findInstructions(parts, "a")).toMatchObject({ instructions: "Do a.", folder: "skills/a" });
  expect(findInstructions(parts, "go")).toMatchObject({ instructions: "Go to $1.", folder: "commands" });
  expect(findInstructions(parts, "b")).toBe(null);
});

it("has the same content hash whatever the order of its files, and another for another mode", () => {
  const [one, two] = [
    { path: "a", isExecutable: false, digest: "x" },
    { path: "b", isExecutable: true, digest: "y" },
  ];
  expect(formatPluginContent([one, two])).toBe(formatPluginContent([two, one]));
  expect(formatPluginContent([one, two])).not.toBe(formatPluginContent([{ ...one, isExecutable: true }, two]));
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
    expect(formatInstructions(text, { argument, ...folders })).toBe(expected);
  });
});
