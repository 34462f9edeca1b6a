// A plugin of an Official Marketplace (Part 2, "Personal plugin"): its id, what it consists of, and which sessions it serves.

import type { ProviderId } from "../../rules/model/provider.ts";
import type { SkillListing } from "../../skill/rules/skill.ts";

/** The providers whose marketplaces there are. */
export const pluginProviders = ["anthropic", "openai"] as const;
export type PluginProvider = (typeof pluginProviders)[number];

/** The names of the parts of a plugin that are really there. */
export interface PluginComponents {
  skills: string[];
  commands: string[];
  agents: string[];
  hooks: string[];
  lspServers: string[];
}

/** A skill or a command of a plugin, as a message calls it behind the plugin's name. */
export type PluginCallable = SkillListing;

const part = /^[a-z0-9]+(?:[-._][a-z0-9]+)*$/i;
const partCharactersMax = 100;

/** True for a name of a plugin or a marketplace: what can stand on either side of the `@` of an id. */
export function isPluginName(text: string): boolean {
  return text.length <= partCharactersMax && part.test(text);
}

/** True for `<plugin>@<marketplace>`. */
export function isPluginId(id: string): boolean {
  const [plugin = "", marketplace = "", ...rest] = id.split("@");
  return rest.length === 0 && isPluginName(plugin) && isPluginName(marketplace);
}

/** Whose plugins serve sessions on a provider's models (decisions, "Skills, plugins, push"). */
export function pluginProviderFor(provider: ProviderId): PluginProvider {
  return provider === "openai" ? "openai" : "anthropic";
}
