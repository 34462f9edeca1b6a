// Runs one hook of a plugin: its command, in the turn's process family, with the event as JSON on
// its standard input.
import { type HookAnswer, type PluginHook, readHookAnswer, silence } from "../../../src/plugin/rules/hook.ts";
import { runCommand } from "../../process/command.ts";
import type { Environment } from "../../process/environment.ts";
import type { ProcessFamily } from "../../process/process-family.ts";
import type { TakenPlugin } from "../given/plugins.ts";

export interface HookPlace {
  /** The checkout. */
  cwd: string;
  /** Without the turn's tokens. */
  env: Environment;
  family: ProcessFamily;
}

const outputBytesMax = 256 * 1_024;

/**
 * Runs a plugin's hook. Never throws: a hook is broken if it cannot be run, takes too long, or
 * exits with an unexpected code.
 */
export async function runHook(
  { folder }: Pick<TakenPlugin, "folder">,
  { event, command, timeoutMs }: PluginHook,
  asked: Record<string, unknown>,
  { cwd, env, family }: HookPlace,
  signal: AbortSignal | undefined,
): Promise<HookAnswer | { broken: string }> {
  const output = { stdout: "", stderr: "" };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  try {
    const { exitCode, stopped } = await runCommand({
      file: "/bin/bash",
      args: ["-c", inFolder(command, folder)],
      cwd,
      env: { ...env, CLAUDE_PLUGIN_ROOT: folder, CLAUDE_PROJECT_DIR: cwd },
      family,
      input: JSON.stringify(asked),
      timeoutMs,
      signal,
      onOutput(chunk, stream) {
        const room = outputBytesMax - output[stream].length;
        if (room > 0) output[stream] += decoders[stream].decode(chunk.subarray(0, room), { stream: true });
      },
    });
    // The turn is ending, so nobody needs a result.
    if (stopped === "abort") return silence;
    if (stopped === "timeout") return { broken: `It took longer than ${timeoutMs / 1_000} seconds.` };
    return readHookAnswer(event, { exitCode, ...output });
  } catch (error) {
    return { broken: `It could not be run: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** The command with the plugin's folder substituted for its variable, also inside quotes. */
function inFolder(command: string, folder: string): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: hooks contain it literally
  return command.replaceAll("${CLAUDE_PLUGIN_ROOT}", () => folder);
}
