// Runs one git command for the program: with a timeout, without prompts and hooks, and with
// readable errors.

import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import { runCommand } from "../process/command.ts";
import { createGroup } from "../process/enclosure.ts";
import type { Entry } from "../process/entry.ts";
import type { ProcessFamily } from "../process/process-family.ts";
import { getWall, toUnsharedCommand } from "../process/wall.ts";
import { explainFailure, locked } from "./explain-failure.ts";
import type { GatewayRemote } from "./gateway-remote.ts";
import { getGitEnvironment } from "./git-environment.ts";
import { deleteLocks } from "./locks.ts";

export interface GitCommandOptions {
  /**
   * Defaults to the project's folder, which then is the work tree whatever the checkout's
   * configuration says.
   */
  cwd?: string;
  access?: GatewayRemote;
  input?: string | Buffer;
  /** `latin1` gives one character for each byte, for names that may be invalid UTF-8. */
  encoding?: "utf8" | "latin1";
  timeoutMs?: number;
  /** Output beyond this limit is dropped. */
  outputLimitBytes?: number;
  /** Receives the output as it arrives, instead of the result. */
  take?(piece: Buffer): void;
  /** Extra environment variables, for example for an author. */
  env?: Record<string, string>;
  /**
   * True for a command that runs no program named by a configuration, so that it needs no wall.
   * Only allowed if no argument was chosen by someone else.
   */
  runsNothing?: boolean;
  /**
   * The process family of the turn that the command runs for: it runs among the turn's own
   * commands. Ignored for a command with access.
   */
  family?: ProcessFamily;
  /** True if another git may be running at the same time, so that no lock is deleted. */
  leavesLocks?: boolean;
  signal?: AbortSignal | undefined;
}

export interface GitResult {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** True if the output exceeded the limit. */
  isCut: boolean;
  /** True for a command that needs the remote. */
  hasAccess: boolean;
}

const localTimeoutMs = 30_000;
/** The time in which a stopped git can delete its locks. */
const stopGraceMs = 1_000;
const usualOutputLimitBytes = 8 * 1_024 * 1_024;
// The agent can write the checkout's configuration, so every setting that makes git run other
// programs is switched off. Filters stay on, because Git LFS is one. They run without access to a
// token.
const guards = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  // It would continue in the background, where the end of the command's enclosure would kill it.
  "maintenance.auto=false",
  "commit.gpgSign=false",
  "push.gpgSign=false",
  "core.alternateRefsCommand=true",
  "credential.helper=",
  // A submodule has its own remotes, which are not the gateway.
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "push.recurseSubmodules=no",
].flatMap((setting) => ["-c", setting]);

/**
 * Runs git and returns its result, whatever the exit code. Retries once if a dead git's lock was in
 * the way.
 */
export async function tryGit(folders: Folders, args: string[], options: GitCommandOptions = {}): Promise<GitResult> {
  const result = await runGit(folders, args, options);
  const isLocked = result.exitCode !== 0 && locked.test(result.stderr);
  return isLocked && !options.leavesLocks && (await deleteLocks(folders))
    ? await runGit(folders, args, options)
    : result;
}

async function runGit(folders: Folders, args: string[], options: GitCommandOptions): Promise<GitResult> {
  const chunks: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  let bytes = 0;
  const { timeoutMs = localTimeoutMs, outputLimitBytes = usualOutputLimitBytes, encoding = "utf8" } = options;
  const runsNothing = options.runsNothing === true || refReaders.has(findSubcommand(args));
  const family = options.access ? undefined : options.family;
  const command = {
    argv: ["git", ...guards, ...args],
    cwd: options.cwd ?? folders.project,
    env: {
      ...getGitEnvironment(folders, options.access ?? null),
      ...(options.cwd === undefined ? { GIT_WORK_TREE: folders.project } : {}),
      ...options.env,
    },
  };
  const { entry, end: endWall } = family ? withoutOwnWall(command) : behindWall(folders, runsNothing, command);
  const [file = "", ...rest] = entry.argv;
  const end = await runCommand({
    file,
    args: rest,
    cwd: entry.cwd,
    env: entry.env,
    input: options.input,
    family,
    timeoutMs,
    stopGraceMs,
    signal: options.signal,
    onOutput: (chunk, stream) => {
      if (options.take && stream === "stdout") return options.take(chunk);
      if (bytes < outputLimitBytes) chunks[stream].push(chunk.subarray(0, outputLimitBytes - bytes));
      bytes += chunk.length;
    },
  }).finally(endWall);
  if (end.stopped === "timeout") {
    if (!options.leavesLocks) await deleteLocks(folders);
    const code = options.access ? "REMOTE_SILENT" : "GIT_REFUSED";
    throw createRefusal(
      code,
      `git ${findSubcommand(args)} did not end within ${timeoutMs / 1_000} seconds and was stopped.`,
    );
  }
  const text = (stream: "stdout" | "stderr") =>
    withoutAccess(Buffer.concat(chunks[stream]).toString(encoding), options.access);
  return {
    exitCode: end.exitCode,
    stdout: text("stdout"),
    stderr: text("stderr"),
    isCut: bytes > outputLimitBytes,
    hasAccess: options.access !== undefined,
  };
}

/** Commands that read only commits and refs, and so run no program named by a configuration. */
const refReaders: ReadonlySet<string> = new Set(["merge-base", "rev-parse", "symbolic-ref"]);

interface Walled {
  entry: Entry;
  end(): Promise<void>;
}

const withoutOwnWall = (entry: Entry): Walled => ({ entry, end: async () => {} });

/**
 * git runs the checkout's filters, which the agent can write. In a separate enclosure, a filter
 * cannot reach the token of another git.
 */
function behindWall(folders: Folders, runsNothing: boolean, entry: Entry): Walled {
  const wall = getWall();
  if (wall === "none") return withoutOwnWall(entry);
  // The start and the end of every turn wait for these commands, so they skip the enclosure.
  if (wall !== "users" && runsNothing) return withoutOwnWall(entry);
  if (wall !== "users") return withoutOwnWall({ ...entry, argv: toUnsharedCommand(wall, folders, entry.argv) });
  const group = createGroup();
  return { entry: group.enter(entry), end: group.end };
}

/** Runs git and returns its output. Refuses with git's own message on failure. */
export async function git(folders: Folders, args: string[], options: GitCommandOptions = {}): Promise<string> {
  return getOutput(args, await tryGit(folders, args, options));
}

/** The output of a command that succeeded. Refuses with git's own message on failure. */
export function getOutput(args: string[], result: GitResult): string {
  if (result.exitCode === 0) return result.stdout;
  throw explainFailure(findSubcommand(args), result);
}

/**
 * Hides the gateway's address: it is internal to the service, and the checkout has no other remote.
 */
function withoutAccess(text: string, access: GatewayRemote | undefined): string {
  return access ? text.replaceAll(access.token, "[redacted]").replaceAll(access.remoteUrl, "the remote") : text;
}

/** The subcommand, after git's own settings and options. */
const findSubcommand = (args: string[]) => args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "";
