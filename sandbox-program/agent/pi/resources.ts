// Replaces pi's own discovery. pi gets the instructions of the turn's profile and the project's
// AGENTS.md, and nothing else: no file of the checkout can add code, settings or tools to the
// program, and no file of a user's own pi is read.
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import {
  createExtensionRuntime,
  DefaultResourceLoader,
  type ExtensionFactory,
  type LoadExtensionsResult,
  type ResourceLoader,
  SettingsManager,
} from "@earendil-works/pi-coding-agent";

const projectInstructionFiles = ["AGENTS.md", "CLAUDE.md"];
const projectInstructionsBytes = 64 * 1_024;

export interface ProjectInstructions {
  path: string;
  content: string;
}

/**
 * The resources that pi would otherwise search for on disk. `extensions` are those of the turn's
 * plugins; null for none.
 */
export function createResources(
  agentsFiles: ProjectInstructions[],
  instructions: string,
  extensions: LoadExtensionsResult | null,
): ResourceLoader {
  return {
    getExtensions: () => extensions ?? { extensions: [], errors: [], runtime: createExtensionRuntime() },
    getSkills: () => ({ skills: [], diagnostics: [] }),
    getPrompts: () => ({ prompts: [], diagnostics: [] }),
    getThemes: () => ({ themes: [], diagnostics: [] }),
    getAgentsFiles: () => ({ agentsFiles }),
    getSystemPrompt: () => instructions,
    getSystemPromptSource: () => undefined,
    getAppendSystemPrompt: () => [],
    getAppendSystemPromptSources: () => [],
    extendResources: () => {},
    reload: async () => {},
  };
}

/**
 * Loads an extension that is part of the program. `nowhere` is a folder without any files of pi.
 */
export async function loadExtension(factory: ExtensionFactory, nowhere: string): Promise<LoadExtensionsResult> {
  const loader = new DefaultResourceLoader({
    cwd: nowhere,
    agentDir: nowhere,
    settingsManager: createSettings(),
    extensionFactories: [{ name: "plugins", factory, hidden: true }],
    ...{ noExtensions: true, noSkills: true, noPromptTemplates: true, noThemes: true, noContextFiles: true },
    // Passed although empty, so that pi searches for no such files.
    ...{ systemPrompt: "", appendSystemPrompt: [] },
  });
  await loader.reload();
  return loader.getExtensions();
}

/**
 * The project's instructions for agents. A symbolic link may point only to another file of the
 * project.
 */
export function readProjectInstructions(project: string): ProjectInstructions[] {
  for (const name of projectInstructionFiles) {
    try {
      const path = realpathSync(join(project, name));
      const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        if (!fstatSync(file).isFile() || !getPlace(file, path).startsWith(realpathSync(project) + sep)) continue;
        const buffer = Buffer.alloc(projectInstructionsBytes);
        return [{ path: name, content: buffer.toString("utf8", 0, readSync(file, buffer, 0, buffer.length, 0)) }];
      } finally {
        closeSync(file);
      }
    } catch {
      // The project has no file of this name.
    }
  }
  return [];
}

/** The real path of an open file. Without /proc, the real path of its name. */
function getPlace(file: number, path: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return path;
  }
}

/**
 * Automatic compaction: with fewer than `reserveTokens` left in the context window, all but the
 * last `keepRecentTokens` is summarized.
 */
export const compactionSettings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };

/**
 * pi's settings, in memory. A transient failure is retried twice, within about two seconds in all.
 * `withRetries` waits for a limit: pi's own wait for it would also repeat calls that timed out.
 */
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
