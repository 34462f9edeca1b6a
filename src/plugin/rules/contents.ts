// What the files of a plugin contain: its parts by name, and whether it is offered (Part 2,
// "Account").
import {
  pluginDescriptionCharactersMax,
  pluginFileBytes,
  pluginFileCount,
  pluginTextCharactersMax,
  pluginTotalBytes,
} from "../../rules/limits.ts";
import { findManifest, type PluginFile, type PluginInstructions, type PluginParts, readParts } from "./components.ts";
import { isGiven, parseText } from "./manifest-values.ts";
import { parseAuthor } from "./offered.ts";
import { type EntryParts, type PluginCallable, type PluginComponents, partFields } from "./plugin.ts";

export type { PluginFile } from "./components.ts";

export interface PluginContents {
  components: PluginComponents;
  /** Its skills and commands, which messages call. */
  callables: PluginCallable[];
  description: string | null;
  author: string | null;
  version: string | null;
}

/** Refuses another file of a plugin that would make it too large; null if it may be added. */
export function checkSize(file: { size: number }, count: number, totalBytes: number): string | null {
  if (count >= pluginFileCount) return `it has more than ${pluginFileCount} files`;
  if (file.size > pluginFileBytes) return `it has a file longer than ${pluginFileBytes} bytes`;
  return totalBytes + file.size > pluginTotalBytes
    ? `its files are together longer than ${pluginTotalBytes} bytes`
    : null;
}

/**
 * The files of a plugin, with the parts of its marketplace entry added to its manifest. A message
 * if both name parts and only the entry may.
 */
export function withEntryParts(files: readonly PluginFile[], parts: EntryParts | null): PluginFile[] | string {
  if (parts === null) return [...files];
  const { path, manifest } = findManifest(files);
  // A manifest that cannot be read refuses the plugin later, with its own message.
  if (manifest === null) return [...files];
  const own = partFields.filter((field) => isGiven(manifest[field]));
  if (!parts.strict && own.length > 0) return "its manifest names parts, and its entry says that it does not";
  const both = partFields.flatMap((field) => {
    const values = [manifest[field], parts.said[field]].filter(isGiven).flat();
    return values.length === 0 ? [] : [[field, values] as const];
  });
  const text = JSON.stringify({ ...manifest, ...Object.fromEntries(both) });
  const file: PluginFile = { path, isExecutable: false, bytes: new TextEncoder().encode(text) };
  return [...files.filter((one) => one.path !== path), file];
}

/** Reads what a plugin contains, or why it is not offered. */
export function readPlugin(files: readonly PluginFile[]): PluginContents | { refusal: string } {
  const parts = readParts(files);
  if ("refusal" in parts) return parts;
  const { manifest } = parts;
  const components = listComponents(parts);
  if (Object.values(components).every((names) => names.length === 0))
    return { refusal: "it has no skill, command, agent, hook or language server that can be read" };
  return {
    components,
    callables: listCallables(parts).map(({ name, description, argumentHint }) => ({ name, description, argumentHint })),
    description: parseText(manifest.description, pluginDescriptionCharactersMax),
    author: parseAuthor(manifest.author),
    version: parseText(manifest.version, pluginTextCharactersMax),
  };
}

function listComponents({ skills, commands, agents, hooks, lspServers }: PluginParts): PluginComponents {
  const listNames = (parts: { name: string }[]) => parts.map(({ name }) => name);
  return {
    skills: listNames(skills),
    commands: listNames(commands),
    agents: listNames(agents),
    hooks: [...new Set(hooks.map(({ event }) => event))],
    lspServers: listNames(lspServers),
  };
}

/** What messages can call. If a skill and a command have the same name, the skill. */
function listCallables({ skills, commands }: PluginParts): PluginInstructions[] {
  const taken = new Set(skills.map(({ name }) => name));
  return [...skills, ...commands.filter(({ name }) => !taken.has(name))];
}

/** The skill or the command of this name; null if it does not exist. */
export function findInstructions(parts: PluginParts, name: string): PluginInstructions | null {
  return listCallables(parts).find((one) => one.name === name) ?? null;
}

/** The input of a plugin's hash. `digest` is the SHA-256 of a file's bytes. */
export function formatPluginContent(files: readonly { path: string; isExecutable: boolean; digest: string }[]): string {
  const lines = files.map(({ path, isExecutable, digest }) => JSON.stringify([path, isExecutable, digest]));
  return lines.toSorted().join("\n");
}
