// The setup commands of a fresh checkout, run in order in the project folder; what they print goes to a log.
import { StringDecoder } from "node:string_decoder";
import type { Folders } from "../folders.ts";
import { refusal } from "../http/refusal.ts";
import { runCommand } from "../process/command.ts";
import type { Environment } from "../process/environment.ts";
import { createProcessFamily } from "../process/process-family.ts";
import { shellEnvironment } from "../process/shell-environment.ts";
import { openSetupLog } from "../services/output-log.ts";
import { createRedaction } from "../transcript/redaction.ts";

/** For all commands together. A start is given up after ten minutes, clone included: whoever waits for it is to hear before that which one hangs. */
export const setupTimeMs = 8 * 60_000;
const shownOutputCharacters = 1_000;

/** Runs the commands until one fails, which is refused with the end of its output, or until the signal says that nobody wants it. */
export async function runSetup(
  folders: Folders,
  commands: string[],
  env: Environment,
  signal?: AbortSignal,
): Promise<void> {
  if (commands.length === 0) return;
  const secrets = Object.values(env);
  const log = openSetupLog(folders, secrets);
  const family = createProcessFamily(folders, "SWITCHYARD_SETUP");
  const givenUpAt = Date.now() + setupTimeMs;
  try {
    for (const command of commands) {
      const output = openTail(secrets);
      const end = await runCommand({
        file: "/bin/bash",
        args: ["-c", command],
        cwd: folders.project,
        env: shellEnvironment(folders, env, null),
        family,
        timeoutMs: Math.max(0, givenUpAt - Date.now()),
        signal,
        onOutput: (chunk) => {
          log.write(chunk);
          output.write(chunk);
        },
      });
      signal?.throwIfAborted();
      if (end.exitCode !== 0 || end.stopped) {
        const how = end.stopped
          ? `was not done when ${setupTimeMs / 60_000} minutes of setup were over`
          : `ended with exit code ${end.exitCode}`;
        throw refusal("SETUP_FAILED", `The setup command \`${command}\` ${how}.\n${output.read()}`);
      }
    }
  } finally {
    await family.close();
    log.close();
  }
}

/** The end of an output, in which no secret is cut in two: its second half would be shown. */
function openTail(secrets: string[]) {
  const decoder = new StringDecoder("utf8");
  const redacted = createRedaction(secrets).stream();
  let tail = "";
  return {
    write(chunk: Buffer): void {
      tail = (tail + redacted.push(decoder.write(chunk))).slice(-shownOutputCharacters);
    },
    read: () => (tail + redacted.push(decoder.end()) + redacted.flush()).slice(-shownOutputCharacters),
  };
}
