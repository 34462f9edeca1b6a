// A plugin of an Official Marketplace (Part 2, "Personal plugin"): its id, its parts, and which
// sessions it serves.
import type { ProviderId } from "../../model/rules/provider.ts";
import type { SkillListing } from "../../skill/rules/skill.ts";
import { isGiven } from "./manifest-values.ts";

/** The providers that have marketplaces. */
export const pluginProviders = ["anthropic", "openai"] as const;
export type PluginProvider = (typeof pluginProviders)[number];

/** The names of the parts that a plugin actually has. */
export interface PluginComponents {
  skills: string[];
  commands: string[];
  agents: string[];
  hooks: string[];
  lspServers: string[];
}

/**
 * A skill or a command of a plugin. A message calls it by the plugin's name followed by its own.
 */
export type PluginCallable = SkillListing;

const part = /^[a-z0-9]+(?:[-._][a-z0-9]+)*$/i;
const partCharactersMax = 100;

/** True for a valid name of a plugin or a marketplace, on either side of the `@` of an id. */
export function isPluginName(text: string): boolean {
  return text.length <= partCharactersMax && part.test(text);
}

/** True for `<plugin>@<marketplace>`. */
export function isPluginId(id: string): boolean {
  const [plugin = "", marketplace = "", ...rest] = id.split("@");
  return rest.length === 0 && isPluginName(plugin) && isPluginName(marketplace);
}

/**
 * The provider whose plugins serve sessions on a model provider's models (decisions, "Skills,
 * plugins, push").
 */
export function getPluginProvider(provider: ProviderId): PluginProvider {
  return provider === "openai" ? "openai" : "anthropic";
}

/**
 * What a marketplace entry says about a plugin's parts. It adds to the plugin's own manifest, or,
 * with `strict: false`, replaces it. The files of a plugin are saved with a manifest that combines
 * both, so that a sandbox reads what was offered.
 */
export const partFields = ["skills", "commands", "agents", "hooks", "lspServers"] as const;
export type PartField = (typeof partFields)[number];

/** The parts that an entry names, in the format of a manifest. */
export interface EntryParts {
  /** False if the plugin's manifest may not name any. */
  strict: boolean;
  said: Partial<Record<PartField, unknown>>;
}

const entryCharactersMax = 20_000;
/** The folders of parts that are not named. */
const usualFolders: Partial<Record<PartField, string>> = { skills: "skills", commands: "commands", agents: "agents" };

/** The parts that an entry names; null if it names none. A message if it is invalid. */
export function parseEntryParts(entry: Record<string, unknown>): EntryParts | null | string {
  const said = Object.fromEntries(
    partFields.flatMap((field) => (isGiven(entry[field]) ? [[field, entry[field]]] : [])),
  );
  if (Object.keys(said).length === 0) return null;
  if (JSON.stringify(said).length > entryCharactersMax) return "its entry says too much of its parts";
  return { strict: entry.strict !== false, said };
}

/**
 * True for a file that belongs to the plugin. An entry that replaces the manifest lists all of the
 * plugin's parts of a kind, because a repository may contain the skills of several plugins.
 */
export function isOfEntry(path: string, parts: EntryParts | null): boolean {
  if (parts === null || parts.strict) return true;
  return partFields.every((field) => {
    const folder = usualFolders[field];
    if (folder === undefined || parts.said[field] === undefined || !path.startsWith(`${folder}/`)) return true;
    const paths = [parts.said[field]].flat().filter((one) => typeof one === "string");
    return paths.map((one) => one.replace(/^\.\//, "").replace(/\/+$/, "")).some((one) => isWithin(path, one));
  });
}

const isWithin = (path: string, folder: string) =>
  folder === "" || folder === "." || path === folder || path.startsWith(`${folder}/`);
