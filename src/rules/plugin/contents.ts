// What the files of a plugin are: its parts by name, and whether it is offered (Part 2, "Account").
import {
  pluginDescriptionCharactersMax,
  pluginFileBytes,
  pluginFileCount,
  pluginManifestBytes,
  pluginTextCharactersMax,
  pluginTotalBytes,
} from "../limits.ts";
import { readFrontMatter } from "../skill/front-matter.ts";
import { readSkill } from "../skill/skill.ts";
import { fieldsOf, isGiven, textIn } from "./manifest-values.ts";
import { authorIn, refusalOf } from "./marketplace.ts";
import type { PluginCallable, PluginComponents } from "./plugin.ts";

export interface PluginFile {
  /** Relative to the plugin's folder. */
  path: string;
  isExecutable: boolean;
  bytes: Uint8Array;
}

export interface PluginContents {
  components: PluginComponents;
  /** Its skills and commands, which messages call. */
  callables: PluginCallable[];
  description: string | null;
  author: string | null;
  version: string | null;
}

/** Where a plugin may keep its manifest. */
const manifests = [".claude-plugin/plugin.json", ".codex-plugin/plugin.json"];
/** Files that make a plugin one with an MCP server or a chat app. */
const refusedFiles: Record<string, string> = {
  ".mcp.json": "it carries an MCP server",
  "mcp.json": "it carries an MCP server",
  ".app.json": "it carries a chat app",
};

/** Refuses a further file of a plugin that would make it too large; null if it may be added. */
export function tooLarge(file: { size: number }, count: number, totalBytes: number): string | null {
  if (count >= pluginFileCount) return `it has more than ${pluginFileCount} files`;
  if (file.size > pluginFileBytes) return `it has a file longer than ${pluginFileBytes} bytes`;
  return totalBytes + file.size > pluginTotalBytes
    ? `its files are together longer than ${pluginTotalBytes} bytes`
    : null;
}

/** What a plugin is, or why it is not offered. */
export function readPlugin(files: readonly PluginFile[]): PluginContents | { refusal: string } {
  const byPath = new Map(files.map((file) => [file.path, file]));
  for (const [path, refusal] of Object.entries(refusedFiles)) if (byPath.has(path)) return { refusal };
  const manifest = manifests.map((path) => byPath.get(path)).find((file) => file !== undefined);
  if (manifest && manifest.bytes.length > pluginManifestBytes) return { refusal: "its manifest is too long" };
  const json = manifest === undefined ? {} : objectIn(manifest.bytes);
  if (json === null) return { refusal: "its manifest is no JSON object" };
  const refusal = refusalOf(json);
  if (refusal !== null) return { refusal };
  const skills = files.flatMap((file) => skillIn(file) ?? []);
  const commands = files.flatMap((file) => commandIn(file) ?? []);
  const components: PluginComponents = {
    skills: skills.map(({ name }) => name),
    commands: commands.map(({ name }) => name),
    agents: files.flatMap(({ path }) => /^agents\/([^/]+)\.md$/.exec(path)?.[1] ?? []),
    hooks: hooksIn(json.hooks, byPath.get("hooks/hooks.json")),
    lspServers: serversIn(json.lspServers, byPath.get(".lsp.json")),
  };
  const unrun = unrunIn(components, json);
  if (unrun !== null) return { refusal: unrun };
  if (skills.length + commands.length === 0)
    return { refusal: "it has neither a skill nor a command that can be read" };
  return {
    components,
    callables: firstOfEach([...skills, ...commands]),
    description: textIn(json.description, pluginDescriptionCharactersMax),
    author: authorIn(json.author),
    version: textIn(json.version, pluginTextCharactersMax),
  };
}

/** Parts that no turn runs yet. A plugin with one would do less than it says, so it is not offered. */
function unrunIn({ agents, hooks, lspServers }: PluginComponents, json: Record<string, unknown>): string | null {
  if (hooks.length > 0 || isGiven(json.hooks)) return "it has hooks, which turns do not run yet";
  if (agents.length > 0 || isGiven(json.agents)) return "it has agents, which turns do not run yet";
  if (lspServers.length > 0 || isGiven(json.lspServers)) return "it has language servers, which turns do not run yet";
  return null;
}

/** The skill in a file; null if it is none that can be read. */
function skillIn(file: PluginFile): (PluginCallable & { instructions: string }) | null {
  if (!/^skills\/[^/]+\/SKILL\.md$/.test(file.path)) return null;
  const text = textOf(file.bytes);
  const reading = text === null ? null : readSkill(text);
  return reading !== null && "skill" in reading ? reading.skill : null;
}

const commandName = /^[A-Za-z0-9]+(?:[-._][A-Za-z0-9]+)*$/;

/** The command in a file, named by its file; null if it is none that can be called. */
function commandIn(file: PluginFile): (PluginCallable & { instructions: string }) | null {
  const [, name = ""] = /^commands\/([^/]+)\.md$/.exec(file.path) ?? [];
  const text = commandName.test(name) ? textOf(file.bytes) : null;
  if (text === null) return null;
  const matter = readFrontMatter(text);
  const instructions = matter?.body ?? text.trim();
  if (instructions === "") return null;
  return {
    name,
    description: textIn(matter?.fields.description, pluginDescriptionCharactersMax) ?? `The command ${name}.`,
    argumentHint: textIn(matter?.fields["argument-hint"], pluginTextCharactersMax),
    instructions,
  };
}

/** The instructions of a skill or a command of a plugin, by its name, with the folder that they lie in; null if it has none. */
export function instructionsIn(
  files: readonly PluginFile[],
  name: string,
): { instructions: string; folder: string } | null {
  for (const read of [skillIn, commandIn])
    for (const file of files) {
      const found = read(file);
      if (found?.name === name) return { instructions: found.instructions, folder: file.path.replace(/\/?[^/]*$/, "") };
    }
  return null;
}

function hooksIn(inManifest: unknown, file: PluginFile | undefined): string[] {
  const hooks = fieldsOf(file === undefined ? inManifest : fieldsOf(objectIn(file.bytes) ?? {}).hooks);
  return Object.keys(hooks).flatMap((name) => textIn(name, pluginTextCharactersMax) ?? []);
}

function serversIn(inManifest: unknown, file: PluginFile | undefined): string[] {
  const servers = fieldsOf(file === undefined ? inManifest : objectIn(file.bytes));
  return Object.keys(servers).flatMap((name) => textIn(name, pluginTextCharactersMax) ?? []);
}

function firstOfEach(callables: readonly PluginCallable[]): PluginCallable[] {
  const named = new Map<string, PluginCallable>();
  for (const { name, description, argumentHint } of callables)
    if (!named.has(name)) named.set(name, { name, description, argumentHint });
  return [...named.values()];
}

function objectIn(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(textOf(bytes) ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? fieldsOf(value) : null;
  } catch {
    return null;
  }
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}

/** What the hash of a plugin is taken of. `digest` is the SHA-256 of a file's bytes. */
export function pluginContent(files: readonly { path: string; isExecutable: boolean; digest: string }[]): string {
  const lines = files.map(({ path, isExecutable, digest }) => JSON.stringify([path, isExecutable, digest]));
  return lines.toSorted().join("\n");
}
