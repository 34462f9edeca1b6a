// Runs git for a command.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { UsageError } from "../exit.ts";

export interface GitOptions {
  cwd?: string;
  env?: Record<string, string>;
  input?: string;
}

interface GitResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Runs git, and returns its output whatever its exit code is. */
export async function tryGit(args: readonly string[], { cwd, env, input }: GitOptions = {}): Promise<GitResult> {
  // The messages of git are read here, so they must be in one language.
  const child = spawn("git", args, { cwd, env: { ...process.env, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", ...env } });
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "ENOENT" ? new UsageError("git is not installed, or not in your PATH.") : error),
    );
    child.once("close", resolve);
  });
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { exitCode, stdout, stderr };
}

/** Runs git, and returns its output. Throws git's own message if it fails. */
export async function git(args: readonly string[], options: GitOptions = {}): Promise<string> {
  const { exitCode, stdout, stderr } = await tryGit(args, options);
  if (exitCode === 0) return stdout.trim();
  throw new Error(stderr.trim() || `git ${args[0]} ended with ${exitCode}.`);
}
