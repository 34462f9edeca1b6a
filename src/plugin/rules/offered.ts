// Which plugins a marketplace offers, by its manifest in the two published formats. It is
// untrusted: texts are cut, and a source must be a repository of the code host. The files of a
// plugin are checked in `components.ts`.

import { isRepositoryName } from "../../project/rules/repository.ts";
import { marketplacePluginsMax, pluginDescriptionCharactersMax, pluginTextCharactersMax } from "../../rules/limits.ts";
import { isGiven, parseText, toFields } from "./manifest-values.ts";
import { type EntryParts, isPluginName, type PluginProvider, parseEntryParts, pluginProviders } from "./plugin.ts";

/** A marketplace of the settings. */
export interface Marketplace {
  provider: PluginProvider;
  /** `owner/name`. */
  repository: string;
  /** A branch or a tag; null for the default branch. */
  ref: string | null;
}

/** The path of a marketplace's manifest. */
export const marketplaceManifest: Record<PluginProvider, string> = {
  anthropic: ".claude-plugin/marketplace.json",
  openai: ".agents/plugins/marketplace.json",
};

/** Where the files of a plugin are. */
export interface PluginSource {
  repository: string;
  /** The folder of the plugin; empty for the root. */
  path: string;
  ref: string | null;
  /** The required commit; null for the current commit of the ref. */
  sha: string | null;
}

export interface MarketplaceEntry {
  name: string;
  description: string | null;
  category: string | null;
  author: string | null;
  version: string | null;
  /** Null for a plugin that is not offered; `refusal` says why. */
  source: PluginSource | null;
  refusal: string | null;
  /** What the marketplace entry itself says about the plugin's parts. */
  parts: EntryParts | null;
}

export interface MarketplaceManifest {
  name: string;
  plugins: MarketplaceEntry[];
}

/** Reads the setting `MARKETPLACES`. Throws if it is invalid. */
export function readMarketplaces(setting: string | undefined): Marketplace[] {
  const list: unknown = setting ? JSON.parse(setting) : [];
  if (!Array.isArray(list)) throw new Error("MARKETPLACES is no list.");
  return list.map((one) => {
    const { provider, repository, ref = null } = toFields(one);
    const known = pluginProviders.find((name) => name === provider);
    if (!known || typeof repository !== "string" || !isRepositoryName(repository) || !(ref === null || isRef(ref)))
      throw new Error(`MARKETPLACES has an entry that is none: ${JSON.stringify(one)}.`);
    return { provider: known, repository, ref };
  });
}

/**
 * Parses a manifest. `at` is the commit that it was read from, and `hostUrl` the code host's URL. A
 * message if it is not a manifest, or names too many plugins.
 */
export function readManifest(
  text: string,
  at: { repository: string; sha: string; hostUrl: string },
): MarketplaceManifest | string {
  const json = parsed(text);
  const { name, plugins, metadata } = toFields(json);
  if (typeof name !== "string" || !isPluginName(name)) return "its manifest has no name of letters, digits and hyphens";
  if (!Array.isArray(plugins)) return "its manifest has no list of plugins";
  if (plugins.length > marketplacePluginsMax) return `its manifest names more than ${marketplacePluginsMax} plugins`;
  const { pluginRoot } = toFields(metadata);
  const root = typeof pluginRoot === "string" ? pluginRoot : ".";
  const entries = new Map<string, MarketplaceEntry>();
  for (const plugin of plugins) {
    const entry = parseEntry(plugin, root, at);
    if (entry !== null && !entries.has(entry.name)) entries.set(entry.name, entry);
  }
  return { name, plugins: [...entries.values()] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return null;
  }
}

function parseEntry(
  value: unknown,
  root: string,
  at: { repository: string; sha: string; hostUrl: string },
): MarketplaceEntry | null {
  const fields = toFields(value);
  const { name } = fields;
  if (typeof name !== "string" || !isPluginName(name)) return null;
  const source = parseSource(fields.source, root, at);
  const parts = parseEntryParts(fields);
  const refusal = checkOffered(fields) ?? [source, parts].find((one) => typeof one === "string") ?? null;
  return {
    name,
    description: parseText(fields.description, pluginDescriptionCharactersMax),
    category: parseText(fields.category, pluginTextCharactersMax),
    author: parseAuthor(fields.author),
    version: parseText(fields.version, pluginTextCharactersMax),
    source: refusal === null && typeof source !== "string" ? source : null,
    refusal,
    parts: typeof parts === "string" ? null : parts,
  };
}

/** An author is a text, or an object with a name. */
export function parseAuthor(value: unknown): string | null {
  return parseText(value, pluginTextCharactersMax) ?? parseText(toFields(value).name, pluginTextCharactersMax);
}

/**
 * Why an entry or a manifest is not offered, regardless of its files (Part 2, "Account"); null if
 * it may be.
 */
export function checkOffered({ mcpServers, apps }: Record<string, unknown>): string | null {
  if (isGiven(mcpServers)) return "it carries an MCP server";
  return isGiven(apps) ? "it carries a chat app" : null;
}

const shaShape = /^[0-9a-f]{40}$/;

function parseSource(
  value: unknown,
  root: string,
  at: { repository: string; sha: string; hostUrl: string },
): PluginSource | string {
  if (typeof value === "string") return toFolderSource(at, /^\.?\//.test(value) ? value : `${root}/${value}`);
  const { source, repo, url, path = ".", ref = null, sha = null } = toFields(value);
  if (source === "local") return typeof path === "string" ? toFolderSource(at, path) : "its source has no path";
  const repository = source === "github" ? repo : repositoryAt(url, at.hostUrl);
  if (typeof repository !== "string" || !isRepositoryName(repository))
    return "its source is no repository of the code host";
  const folder = typeof path === "string" ? plainFolder(path) : null;
  if (folder === null) return "its source leads out of its repository";
  if (!(ref === null || isRef(ref))) return "its source names no branch or tag";
  if (!(sha === null || (typeof sha === "string" && shaShape.test(sha)))) return "its source names no commit";
  return { repository, path: folder, ref, sha };
}

function toFolderSource({ repository, sha }: { repository: string; sha: string }, path: string): PluginSource | string {
  const folder = plainFolder(path);
  return folder === null ? "its source leads out of the marketplace" : { repository, path: folder, ref: null, sha };
}

/**
 * The `owner/name` of a URL on the code host; null for any other scheme, host, port, user or path.
 */
function repositoryAt(value: unknown, hostUrl: string): string | null {
  if (typeof value !== "string") return null;
  if (isRepositoryName(value)) return value;
  const [url, host] = [URL.parse(value), URL.parse(hostUrl)];
  if (!url || !host || url.origin !== host.origin || url.username !== "" || url.password !== "") return null;
  if (url.search !== "" || url.hash !== "") return null;
  return url.pathname.replace(/^\//, "").replace(/(\.git)?\/?$/, "");
}

/** A folder within a repository, without `.` parts; null if it leads out of the repository. */
function plainFolder(path: string): string | null {
  if (path.length > 1_000 || /[\\\p{Cc}]/u.test(path)) return null;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.includes("..") ? null : parts.join("/");
}

/** True for the name of a branch or a tag that needs no escaping in a URL. */
function isRef(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/.test(value) && !value.includes("..");
}
