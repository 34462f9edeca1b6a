// One git command of the program's own: bounded in time, silent on the terminal, blind to hooks, its failures told for people.

import type { Folders } from "../folders.ts";
import { refusal } from "../http/refusal.ts";
import { runCommand } from "../process/command.ts";
import { openGroup } from "../process/enclosure.ts";
import { standingWall, unsharedCommand } from "../process/wall.ts";
import type { GatewayRemote } from "./gateway-remote.ts";
import { gitEnvironment } from "./git-environment.ts";
import { freeLocks } from "./locks.ts";

export interface GitCommandOptions {
  /** The project's folder if not given, which then is the work tree whatever the checkout's configuration says. */
  cwd?: string;
  access?: GatewayRemote;
  input?: string | Buffer;
  /** `latin1` gives each byte of the output a character of its own, for names that may be no text. */
  encoding?: "utf8" | "latin1";
  timeoutMs?: number;
  /** What comes after this much of the output is left out. */
  outputLimitBytes?: number;
  /** Takes the output as it comes, in place of the answer. */
  take?(piece: Buffer): void;
  /** Added to the command's environment, as for an author. */
  env?: Record<string, string>;
}

export interface GitResult {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** True when there was more output than the limit. */
  isCut: boolean;
}

const localTimeoutMs = 30_000;
/** Time for a git that is stopped to remove its locks. */
const stopGraceMs = 1_000;
const usualOutputLimitBytes = 8 * 1_024 * 1_024;
// The checkout's own configuration is the agent's to write: what it could make the program run beside its own git is switched off. Its
// filters are not, for large files are kept by one; they meet no token.
const guards = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "commit.gpgSign=false",
  "push.gpgSign=false",
  "core.alternateRefsCommand=true",
  "credential.helper=",
  // Its own remotes are a submodule's.
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "push.recurseSubmodules=no",
].flatMap((setting) => ["-c", setting]);

/** Runs git and answers whatever its exit code. Once more, where the lock of a git that is no more was in the way. */
export async function tryGit(folders: Folders, args: string[], options: GitCommandOptions = {}): Promise<GitResult> {
  const result = await runGit(folders, args, options);
  const isLocked = result.exitCode !== 0 && locked.test(result.stderr);
  return isLocked && (await freeLocks(folders)) ? await runGit(folders, args, options) : result;
}

async function runGit(folders: Folders, args: string[], options: GitCommandOptions): Promise<GitResult> {
  const chunks: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  let bytes = 0;
  const { timeoutMs = localTimeoutMs, outputLimitBytes = usualOutputLimitBytes, encoding = "utf8" } = options;
  const behindWall = commandBehindWall(folders, subcommandOf(args), ["git", ...guards, ...args]);
  const [file = "", ...rest] = behindWall.argv;
  const end = await runCommand({
    file,
    args: rest,
    cwd: options.cwd ?? folders.project,
    env: {
      ...gitEnvironment(folders, options.access ?? null),
      ...(options.cwd === undefined ? { GIT_WORK_TREE: folders.project } : {}),
      ...options.env,
    },
    input: options.input,
    timeoutMs,
    stopGraceMs,
    onOutput: (chunk, stream) => {
      if (options.take && stream === "stdout") return options.take(chunk);
      if (bytes < outputLimitBytes) chunks[stream].push(chunk.subarray(0, outputLimitBytes - bytes));
      bytes += chunk.length;
    },
  }).finally(behindWall.end);
  if (end.stopped === "timeout") {
    await freeLocks(folders);
    const code = options.access ? "REMOTE_SILENT" : "GIT_REFUSED";
    throw refusal(code, `git ${subcommandOf(args)} did not end within ${timeoutMs / 1_000} seconds and was stopped.`);
  }
  const text = (stream: "stdout" | "stderr") =>
    withoutToken(Buffer.concat(chunks[stream]).toString(encoding), options.access);
  return { exitCode: end.exitCode, stdout: text("stdout"), stderr: text("stderr"), isCut: bytes > outputLimitBytes };
}

/** What reads commits and references alone, and runs no program that a configuration names. */
const runsNothing: ReadonlySet<string> = new Set(["merge-base", "rev-parse"]);

/** The checkout's filters are the agent's to write, and git runs them: each git has an enclosure of its own, and no other meets its token. */
function commandBehindWall(
  folders: Folders,
  subcommand: string,
  argv: string[],
): { argv: string[]; end(): Promise<void> } {
  const wall = standingWall();
  const endsByItself = async () => {};
  if (wall === "none") return { argv, end: endsByItself };
  // Waited for at the start and the end of every turn.
  if (wall !== "users" && runsNothing.has(subcommand)) return { argv, end: endsByItself };
  if (wall !== "users") return { argv: unsharedCommand(wall, folders, argv), end: endsByItself };
  const group = openGroup();
  return { argv: group.enter(argv, folders.project), end: group.end };
}

/** Runs git and answers its output; anything but success is refused with git's own words. */
export async function git(folders: Folders, args: string[], options: GitCommandOptions = {}): Promise<string> {
  const result = await tryGit(folders, args, options);
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
    /non-fast-forward|fetch first|rejected.*(behind|others have pushed)/,
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
  [/No space left on device/, "The sandbox's disk is full."],
];

/** Settings and options come before it. */
const subcommandOf = (args: string[]) => args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "";

function explain(subcommand: string, stderr: string): string {
  const known = knownFailures.find(([pattern]) => pattern.test(stderr));
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const words = lines.slice(-5).join("\n").slice(0, 1_000);
  return `${known ? known[1] : `git ${subcommand} failed.`}${words === "" ? "" : `\n${words}`}`;
}
