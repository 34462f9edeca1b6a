// The parts of a plugin, read from its files and its manifest. The service reads them to offer it,
// and a sandbox to run it.

import { pluginDescriptionCharactersMax, pluginManifestBytes, pluginTextCharactersMax } from "../../rules/limits.ts";
import { readFrontMatter } from "../../skill/rules/front-matter.ts";
import { readSkill, skillFileName } from "../../skill/rules/skill.ts";
import { type PluginAgent, parseAgent } from "./agent.ts";
import { type PluginHook, parseHooks } from "./hook.ts";
import { type LanguageServer, parseLanguageServers } from "./language-server.ts";
import { isAt, parseDeclaredParts, parseText, type SaidOfParts, toFields } from "./manifest-values.ts";
import { checkOffered } from "./offered.ts";
import { type PluginCallable, partFields } from "./plugin.ts";

export interface PluginFile {
  /** Relative to the plugin's folder. */
  path: string;
  isExecutable: boolean;
  bytes: Uint8Array;
}

/** A skill or a command, with the text that the agent reads when it is called. */
export interface PluginInstructions extends PluginCallable {
  instructions: string;
  /** Their folder, relative to the plugin's. */
  folder: string;
}

export interface PluginParts {
  manifest: Record<string, unknown>;
  skills: PluginInstructions[];
  commands: PluginInstructions[];
  agents: PluginAgent[];
  hooks: PluginHook[];
  lspServers: LanguageServer[];
}

const hooksMax = 100;

/** The possible paths of a plugin's manifest. */
const manifests = [".claude-plugin/plugin.json", ".codex-plugin/plugin.json"] as const;
/** Files that show that a plugin has an MCP server or a chat app. */
const refusedFiles: Record<string, string> = {
  ".mcp.json": "it carries an MCP server",
  "mcp.json": "it carries an MCP server",
  ".app.json": "it carries a chat app",
};

/**
 * The manifest of a plugin and its path. Without a manifest, it is empty with its usual path; null
 * for one that is not a JSON object.
 */
export function findManifest(files: readonly PluginFile[]): { path: string; manifest: Record<string, unknown> | null } {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const path = manifests.find((one) => byPath.has(one)) ?? manifests[0];
  const file = byPath.get(path);
  return { path, manifest: file === undefined ? {} : parseObject(file.bytes) };
}

/** The parts of a plugin, or why it is not offered (Part 2, "Account"). */
export function readParts(files: readonly PluginFile[]): PluginParts | { refusal: string } {
  const byPath = new Map(files.map((file) => [file.path, file]));
  for (const [path, refusal] of Object.entries(refusedFiles)) if (byPath.has(path)) return { refusal };
  const { path, manifest } = findManifest(files);
  if ((byPath.get(path)?.bytes.length ?? 0) > pluginManifestBytes) return { refusal: "its manifest is too long" };
  if (manifest === null) return { refusal: "its manifest is no JSON object" };
  const refusal = checkOffered(manifest);
  if (refusal !== null) return { refusal };
  const said = partFields.map((field) => [field, parseDeclaredParts(field, manifest[field])] as const);
  const leadingOut = said.find((one): one is readonly [(typeof one)[0], string] => typeof one[1] === "string");
  if (leadingOut) return { refusal: leadingOut[1] };
  const at = Object.fromEntries(said) as Record<(typeof said)[number][0], SaidOfParts>;
  const hooks = listHooks(values(byPath, at.hooks, "hooks/hooks.json"));
  if (typeof hooks === "string") return { refusal: hooks };
  const lspServers = listServers(values(byPath, at.lspServers, ".lsp.json"));
  if (typeof lspServers === "string") return { refusal: lspServers };
  return {
    manifest,
    skills: firstOfEach(files.flatMap((one) => parseSkill(one, at.skills.paths) ?? [])),
    commands: firstOfEach(files.flatMap((one) => parseCommand(one, at.commands.paths) ?? [])),
    agents: firstOfEach(files.flatMap((one) => agentInFile(one, at.agents.paths) ?? [])),
    ...{ hooks, lspServers },
  };
}

/**
 * The contents of the usual file of a kind of parts, then the files and the values that the
 * manifest names. A message if a file is missing or unreadable, because a plugin without its hooks
 * would do less than it claims.
 */
function values(byPath: ReadonlyMap<string, PluginFile>, said: SaidOfParts, usual: string): unknown[] | string {
  const found: unknown[] = [];
  for (const path of new Set([usual, ...said.paths])) {
    const file = byPath.get(path);
    if (file === undefined && path === usual) continue;
    if (file === undefined) return "its manifest names a file that it does not have";
    const value = parseObject(file.bytes);
    if (value === null) return `its file ${path} is no JSON object`;
    found.push(value);
  }
  return [...found, ...said.values];
}

/** Events are under `hooks`; in a manifest they may also be at the top level. */
const inHooks = (value: unknown) => toFields(value).hooks ?? value;
/** Like `inHooks`. If `lspServers` has a command, it is itself a server of that name. */
function inServers(value: unknown): unknown {
  const { lspServers } = toFields(value);
  return lspServers === undefined || toFields(lspServers).command !== undefined ? value : lspServers;
}

function listHooks(all: unknown[] | string): PluginHook[] | string {
  if (typeof all === "string") return all;
  const hooks: PluginHook[] = [];
  for (const value of all) {
    const found = parseHooks(inHooks(value));
    if (typeof found === "string") return found;
    hooks.push(...found);
  }
  return hooks.length > hooksMax ? `it has more than ${hooksMax} hooks` : hooks;
}

function listServers(all: unknown[] | string): LanguageServer[] | string {
  if (typeof all === "string") return all;
  const servers: LanguageServer[] = [];
  for (const value of all) {
    const found = parseLanguageServers(inServers(value));
    if (typeof found === "string") return found;
    servers.push(...found);
  }
  return firstOfEach(servers);
}

/**
 * Parses the skill in a file: in a folder of `skills/`, at a path of the manifest, or in a folder
 * there. Null if it cannot be read.
 */
function parseSkill(file: PluginFile, paths: readonly string[]): PluginInstructions | null {
  if (!`/${file.path}`.endsWith(`/${skillFileName}`)) return null;
  const folder = getFolder(file.path);
  if (
    getFolder(folder) !== "skills" &&
    !paths.includes(folder) &&
    !(folder !== "" && paths.includes(getFolder(folder)))
  )
    return null;
  const text = findText(file.bytes);
  const reading = text === null ? null : readSkill(text);
  return reading !== null && "skill" in reading ? { ...reading.skill, folder } : null;
}

const commandName = /^[A-Za-z0-9]+(?:[-._][A-Za-z0-9]+)*$/;

/** Parses the command in a file, named after the file. Null if it is not a callable command. */
function parseCommand(file: PluginFile, paths: readonly string[]): PluginInstructions | null {
  const name = getName(file.path);
  const isCommand = commandName.test(name) && isAt(file.path, ["commands", ...paths], ".md");
  const text = isCommand ? findText(file.bytes) : null;
  if (text === null) return null;
  const matter = readFrontMatter(text);
  const instructions = matter?.body ?? text.trim();
  if (instructions === "") return null;
  return {
    name,
    description: parseText(matter?.fields.description, pluginDescriptionCharactersMax) ?? `The command ${name}.`,
    argumentHint: parseText(matter?.fields["argument-hint"], pluginTextCharactersMax),
    instructions,
    folder: getFolder(file.path),
  };
}

function agentInFile(file: PluginFile, paths: readonly string[]): PluginAgent | null {
  const text = isAt(file.path, ["agents", ...paths], ".md") ? findText(file.bytes) : null;
  return text === null ? null : parseAgent(getName(file.path), text);
}

const getFolder = (path: string) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "");
const getName = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");

function firstOfEach<Part extends { name: string }>(parts: readonly Part[]): Part[] {
  const named = new Map<string, Part>();
  for (const part of parts) if (!named.has(part.name)) named.set(part.name, part);
  return [...named.values()];
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(findText(bytes) ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? toFields(value) : null;
  } catch {
    return null;
  }
}

function findText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}
