// Runs git without this machine's configuration and without prompts.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export interface GitResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Runs git in a folder. Returns its output and exit code; a non-zero exit code does not throw. */
export async function git(cwd: string, args: string[], env: Record<string, string> = {}): Promise<GitResult> {
  const child = spawn("git", args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
      HOME: cwd,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_ASKPASS: "true",
      LC_ALL: "C",
      ...env,
    },
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: await ended, stdout: stdout.trim(), stderr: stderr.trim() };
}
