// The setup commands of a fresh checkout, run in order in the project folder; what they print goes to a log.
import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "./command.ts";
import type { Folders } from "./folders.ts";
import { createProcessFamily } from "./processes.ts";
import { createRedaction } from "./redaction.ts";
import { refusal } from "./refusal.ts";
import { type Environment, shellEnvironment } from "./shell-environment.ts";

const commandTimeoutMs = 15 * 60_000;
const shownOutputCharacters = 1_000;

/** Runs the commands until one fails, which is refused with the end of its output, or until the signal says that nobody wants it. */
export async function runSetup(
  folders: Folders,
  commands: string[],
  env: Environment,
  signal?: AbortSignal,
): Promise<void> {
  if (commands.length === 0) return;
  mkdirSync(join(folders.state, "logs"), { recursive: true });
  const log = createWriteStream(join(folders.state, "logs", "setup.log"));
  const family = createProcessFamily("SWITCHYARD_SETUP");
  try {
    for (const command of commands) {
      let shown = "";
      const end = await runCommand({
        file: "/bin/bash",
        args: ["-c", command],
        cwd: folders.project,
        env: shellEnvironment(folders, env, null),
        family,
        timeoutMs: commandTimeoutMs,
        signal,
        onOutput: (chunk) => {
          log.write(chunk);
          shown = (shown + chunk.toString("utf8")).slice(-shownOutputCharacters);
        },
      });
      signal?.throwIfAborted();
      if (end.exitCode !== 0 || end.stopped) {
        const how = end.stopped
          ? `did not end within ${commandTimeoutMs / 60_000} minutes`
          : `ended with exit code ${end.exitCode}`;
        const output = createRedaction(Object.values(env)).whole(shown);
        throw refusal("SETUP_FAILED", `The setup command \`${command}\` ${how}.\n${output}`);
      }
    }
  } finally {
    log.end();
    await family.killAll();
  }
}
