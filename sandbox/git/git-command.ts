// Runs one git command for the program: with a timeout, without prompts and hooks, and with readable errors.

import type { Folders } from "../folders.ts";
import { refusal } from "../http/refusal.ts";
import { runCommand } from "../process/command.ts";
import { openGroup } from "../process/enclosure.ts";
import type { Entry } from "../process/entry.ts";
import type { ProcessFamily } from "../process/process-family.ts";
import { standingWall, unsharedCommand } from "../process/wall.ts";
import type { GatewayRemote } from "./gateway-remote.ts";
import { gitEnvironment } from "./git-environment.ts";
import { freeLocks } from "./locks.ts";

export interface GitCommandOptions {
  /** Defaults to the project's folder, which then is the work tree whatever the checkout's configuration says. */
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
  /** Extra environment variables, as for an author. */
  env?: Record<string, string>;
  /** True for a command that runs no program that a configuration names: it needs no wall. Only where no word is another's choice. */
  runsNothing?: boolean;
  /** The family of a turn that the command is run for: it runs among the turn's own commands. A command with access does not. */
  family?: ProcessFamily;
  /** True if another git may be at work beside this one, so that no lock is removed. */
  leavesLocks?: boolean;
  signal?: AbortSignal;
}

export interface GitResult {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** True if the output exceeded the limit. */
  isCut: boolean;
}

const localTimeoutMs = 30_000;
/** The time in which a stopped git can remove its locks. */
const stopGraceMs = 1_000;
const usualOutputLimitBytes = 8 * 1_024 * 1_024;
// The agent can write the checkout's configuration, so every setting that makes git run other programs is switched off. Filters stay on,
// because Git LFS is one. They run without access to a token.
const guards = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  // It would go on in the background, where the end of the command's enclosure kills it.
  "maintenance.auto=false",
  "commit.gpgSign=false",
  "push.gpgSign=false",
  "core.alternateRefsCommand=true",
  "credential.helper=",
  // A submodule has remotes of its own, which are not the gateway.
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "push.recurseSubmodules=no",
].flatMap((setting) => ["-c", setting]);

/** Runs git and returns its result, whatever the exit code. Retries once if the lock of a dead git was in the way. */
export async function tryGit(folders: Folders, args: string[], options: GitCommandOptions = {}): Promise<GitResult> {
  const result = await runGit(folders, args, options);
  const isLocked = result.exitCode !== 0 && locked.test(result.stderr);
  return isLocked && !options.leavesLocks && (await freeLocks(folders)) ? await runGit(folders, args, options) : result;
}

async function runGit(folders: Folders, args: string[], options: GitCommandOptions): Promise<GitResult> {
  const chunks: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  let bytes = 0;
  const { timeoutMs = localTimeoutMs, outputLimitBytes = usualOutputLimitBytes, encoding = "utf8" } = options;
  const runsNothing = options.runsNothing === true || refReaders.has(subcommandOf(args));
  const family = options.access ? undefined : options.family;
  const command = {
    argv: ["git", ...guards, ...args],
    cwd: options.cwd ?? folders.project,
    env: {
      ...gitEnvironment(folders, options.access ?? null),
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
    if (!options.leavesLocks) await freeLocks(folders);
    const code = options.access ? "REMOTE_SILENT" : "GIT_REFUSED";
    throw refusal(code, `git ${subcommandOf(args)} did not end within ${timeoutMs / 1_000} seconds and was stopped.`);
  }
  const text = (stream: "stdout" | "stderr") =>
    withoutToken(Buffer.concat(chunks[stream]).toString(encoding), options.access);
  return { exitCode: end.exitCode, stdout: text("stdout"), stderr: text("stderr"), isCut: bytes > outputLimitBytes };
}

/** Commands that read only commits and refs, and so run no program that a configuration names. */
const refReaders: ReadonlySet<string> = new Set(["merge-base", "rev-parse", "symbolic-ref"]);

interface Walled {
  entry: Entry;
  end(): Promise<void>;
}

const withoutOwnWall = (entry: Entry): Walled => ({ entry, end: async () => {} });

/** git runs the checkout's filters, which the agent can write. In an enclosure of its own, a filter cannot reach the token of another git. */
function behindWall(folders: Folders, runsNothing: boolean, entry: Entry): Walled {
  const wall = standingWall();
  if (wall === "none") return withoutOwnWall(entry);
  // The start and the end of every turn wait for these commands, so they skip the enclosure.
  if (wall !== "users" && runsNothing) return withoutOwnWall(entry);
  if (wall !== "users") return withoutOwnWall({ ...entry, argv: unsharedCommand(wall, folders, entry.argv) });
  const group = openGroup();
  return { entry: group.enter(entry), end: group.end };
}

/** Runs git and returns its output. Refuses with git's own message on failure. */
export async function git(folders: Folders, args: string[], options: GitCommandOptions = {}): Promise<string> {
  return outputOf(args, await tryGit(folders, args, options));
}

/** The output of a command that succeeded. Refuses with git's own message on failure. */
export function outputOf(args: string[], result: GitResult): string {
  if (result.exitCode === 0) return result.stdout;
  if (silence.test(result.stderr)) throw refusal("REMOTE_SILENT", silent);
  throw refusal("GIT_REFUSED", explain(subcommandOf(args), result.stderr));
}

function withoutToken(text: string, access: GatewayRemote | undefined): string {
  return access ? text.replaceAll(access.token, "[redacted]") : text;
}

const silence = /returned error: 50[024]|RPC failed; curl|unexpected disconnect|the remote end hung up/i;
const silent =
  "The code host does not answer, or breaks off. Nothing is lost: what is committed is kept. Try again later.";

const locked = /\.lock': File exists|could not lock config file/;

const knownFailures: [pattern: RegExp, message: string][] = [
  [locked, "Another git command is at work in this checkout. Try again when it is done."],
  [
    /non-fast-forward|fetch first|rejected.{0,1000}(behind|others have pushed)/,
    "The branch on the remote has commits that this sandbox does not have.",
  ],
  [
    /returned error: 40[13]|Authentication failed|could not read Username/,
    "The git gateway did not let the command through.",
  ],
  [
    /Could not resolve host|Failed to connect|Connection refused|unable to access/,
    "The git gateway cannot be reached.",
  ],
  [/Remote branch .* not found|couldn't find remote ref/, "The branch does not exist on the remote."],
  [/No space left on device|Out of diskspace/, "The sandbox's disk is full."],
];

/** The subcommand, after git's own settings and options. */
const subcommandOf = (args: string[]) => args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "";

function explain(subcommand: string, stderr: string): string {
  const known = knownFailures.find(([pattern]) => pattern.test(stderr));
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const words = lines.slice(-5).join("\n").slice(0, 1_000);
  return `${known ? known[1] : `git ${subcommand} failed.`}${words === "" ? "" : `\n${words}`}`;
}
