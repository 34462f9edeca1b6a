// An agent of a plugin: a Markdown file with its instructions.
import { pluginDescriptionCharactersMax } from "../../rules/limits.ts";
import { readFrontMatter } from "../../skill/rules/front-matter.ts";
import { parseText } from "./manifest-values.ts";

export interface PluginAgent {
  name: string;
  description: string;
  instructions: string;
  /** The names of the only tools that it may use, ours or the published ones; null for all. */
  tools: string[] | null;
}

const agentName = /^[A-Za-z0-9]+(?:[-._][A-Za-z0-9]+)*$/;
const nameCharactersMax = 64;

/**
 * Parses the agent in a file. `fileName` is its name without `.md`. Null if it is not a callable
 * agent.
 */
export function parseAgent(fileName: string, text: string): PluginAgent | null {
  const matter = readFrontMatter(text);
  const name = matter?.fields.name || fileName;
  const instructions = matter?.body ?? text.trim();
  if (instructions === "" || name.length > nameCharactersMax || !agentName.test(name)) return null;
  const { description, tools = "" } = matter?.fields ?? {};
  // `Bash(git:*)` limits a tool, which we do not support: only the name counts.
  const listed = tools.replace(/\([^)]*(?:\)|$)/g, "").match(/[\w-]+/g);
  return {
    name,
    description: parseText(description, pluginDescriptionCharactersMax) ?? `The agent ${name}.`,
    instructions,
    tools: listed === null || tools.trim() === "*" ? null : [...listed],
  };
}

/**
 * The instructions of a plugin's skill or command as the agent reads them, with the values of its
 * message filled in.
 */
export interface Filling {
  /** The text after the name in the message. */
  argument: string;
  pluginFolder: string;
  skillFolder: string;
}

/**
 * Fills in `$ARGUMENTS`, `$1` to `$9`, `${CLAUDE_PLUGIN_ROOT}` and `${CLAUDE_SKILL_DIR}`.
 * Placeholders within filled-in values are not replaced.
 */
export function formatInstructions(instructions: string, { argument, pluginFolder, skillFolder }: Filling): string {
  const words = argument.split(/\s+/).filter((word) => word !== "");
  return instructions.replace(
    /\$ARGUMENTS\b|\$([1-9])(?!\d)|\$\{CLAUDE_(PLUGIN_ROOT|SKILL_DIR)\}/g,
    (whole, place: string | undefined, folder: string | undefined) => {
      if (place !== undefined) return words[Number(place) - 1] ?? "";
      if (folder !== undefined) return folder === "PLUGIN_ROOT" ? pluginFolder : skillFolder;
      return whole === "$ARGUMENTS" ? argument : whole;
    },
  );
}
