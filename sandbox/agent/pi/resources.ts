// What pi starts with in place of its own discovery: our instructions and the project's AGENTS.md. Nothing in the checkout can add code,
// settings or tools to the program, and nothing of a user's own pi is read.
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { createExtensionRuntime, type ResourceLoader, SettingsManager } from "@earendil-works/pi-coding-agent";

const projectInstructionFiles = ["AGENTS.md", "CLAUDE.md"];
const projectInstructionsBytes = 64 * 1_024;

const craft = `You are a coding agent that works in a checkout of a project on behalf of a team. You read, run, write and test code with your tools.
- Work until the task is done; verify what you changed by running it or its tests where you can.
- Read before you change. Keep changes small and in the style of the code around them.
- Use the file tools for files and bash for everything else. Commands have no terminal and must not wait for input.
- Background processes end with your turn.
- Commands reach the API of the service you work for at $SWITCHYARD_API_URL, with $SWITCHYARD_API_TOKEN as a bearer credential. Never print it.
- Be concise. Name files by their path in the project.
- When only the user can decide something, use the ask tool; do not end with an open question in text.`;

export interface ProjectInstructions {
  path: string;
  content: string;
}

/** Everything pi would look for on disk. */
export function createResources(agentsFiles: ProjectInstructions[], instructions: string): ResourceLoader {
  return {
    getExtensions: () => ({ extensions: [], errors: [], runtime: createExtensionRuntime() }),
    getSkills: () => ({ skills: [], diagnostics: [] }),
    getPrompts: () => ({ prompts: [], diagnostics: [] }),
    getThemes: () => ({ themes: [], diagnostics: [] }),
    getAgentsFiles: () => ({ agentsFiles }),
    getSystemPrompt: () => craft,
    getSystemPromptSource: () => undefined,
    getAppendSystemPrompt: () => (instructions === "" ? [] : [instructions]),
    getAppendSystemPromptSources: () => [],
    extendResources: () => {},
    reload: async () => {},
  };
}

/** What the project itself tells agents. */
export function readProjectInstructions(project: string): ProjectInstructions[] {
  for (const name of projectInstructionFiles) {
    try {
      const path = join(project, name);
      if (!statSync(path).isFile()) continue;
      const file = openSync(path, "r");
      try {
        const buffer = Buffer.alloc(projectInstructionsBytes);
        return [{ path: name, content: buffer.toString("utf8", 0, readSync(file, buffer, 0, buffer.length, 0)) }];
      } finally {
        closeSync(file);
      }
    } catch {
      // The project has none by this name.
    }
  }
  return [];
}

/** When pi compacts by itself: this close to the end of the context window, keeping this much of what is recent. */
export const compactionSettings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };

/** pi's settings, held in memory. Transient failures are tried again twice, within about two seconds in all. */
export function createSettings(): SettingsManager {
  return SettingsManager.inMemory({
    compaction: compactionSettings,
    retry: { enabled: true, maxRetries: 2, baseDelayMs: 500, maxAgentDelayMs: 1_000, provider: { maxRetries: 0 } },
    cacheWarming: "off",
    enableInstallTelemetry: false,
    enableAnalytics: false,
    enableSkillCommands: false,
    images: { autoResize: false },
    steeringMode: "all",
  });
}
