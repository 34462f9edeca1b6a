// The plugins of the marketplaces in words, and which of them a search finds.
import type { Schemas } from "@switchyard/client";

export type Plugin = Schemas["PersonalPlugin"];

/** Which models the sessions of a marketplace's plugins run on. */
export const marketWords: Record<Plugin["provider"], string> = {
  anthropic: "For sessions on models of Anthropic, Z.ai and Kimi",
  openai: "For sessions on models of OpenAI",
};

const partWords = {
  skills: "skill",
  commands: "command",
  agents: "agent",
  hooks: "hook",
  lspServers: "language server",
} as const;

/** The parts of a plugin by kind: `2 skills`, with their names. */
export function listParts({ components }: Pick<Plugin, "components">): { words: string; names: string[] }[] {
  return Object.entries(partWords).flatMap(([kind, noun]) => {
    const names = components[kind as keyof typeof partWords];
    return names.length === 0 ? [] : [{ words: `${names.length} ${noun}${names.length === 1 ? "" : "s"}`, names }];
  });
}

/** The plugins that have all words of a search; those that are on first, then by name. */
export function findPlugins(plugins: readonly Plugin[], search: string): Plugin[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = ({ name, marketplace, description, category, author }: Plugin) =>
    [name, marketplace, description, category, author].join(" ").toLowerCase();
  return plugins
    .filter((plugin) => words.every((word) => textOf(plugin).includes(word)))
    .toSorted((one, other) => Number(other.enabled) - Number(one.enabled) || one.name.localeCompare(other.name, "en"));
}
