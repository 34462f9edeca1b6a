// What the plugins of a turn add to its agent: hooks, agents and language servers.
import type { PluginAgent } from "../../../src/plugin/rules/agent.ts";
import type { TurnPlugins } from "../agent.ts";
import type { TakenPlugin } from "../given/plugins.ts";
import { createHooks, type HookContext } from "./hooks.ts";
import { createLanguageServers, type ServersContext } from "./language-servers.ts";

/** Combines the executable parts of a turn's plugins; null if there are none. */
export function createTurnPlugins(
  taken: readonly TakenPlugin[],
  context: HookContext & ServersContext,
): TurnPlugins | null {
  const running = taken.filter(
    ({ parts: { hooks, agents, lspServers } }) => hooks.length + agents.length + lspServers.length > 0,
  );
  if (running.length === 0) return null;
  return {
    key: JSON.stringify(running.map(({ name, hash }) => [name, hash])),
    hooks: createHooks(running, context),
    agents: listAgents(running),
    errorsIn: createLanguageServers(running, context),
  };
}

/** Agents by name, or by `plugin:name` if two plugins have the same name. */
function listAgents(plugins: readonly TakenPlugin[]): PluginAgent[] {
  const all = plugins.flatMap((plugin) => plugin.parts.agents.map((agent) => ({ plugin, agent })));
  return all.map(({ plugin, agent }) => {
    const isShared = all.some((one) => one.plugin !== plugin && one.agent.name === agent.name);
    return isShared ? { ...agent, name: `${plugin.name}:${agent.name}` } : agent;
  });
}
