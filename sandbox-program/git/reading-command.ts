// The git commands of an agent that only reads: a table of verbs with the options that each
// accepts. Every other option is refused, so that no command writes, runs a program, opens a pager
// or reads outside the checkout.
import type { Folders } from "../folders.ts";
import { createRefusal, toRefusal } from "../http/refusal.ts";
import { resolveInProject } from "../project/project-path.ts";
import { listLinksOverFolders } from "./behind-links.ts";
import { type GitResult, tryGit } from "./git-command.ts";

/** An exact option, or the pattern of an option with a value. */
type Option = string | RegExp;

interface Verb {
  options: readonly Option[];
  /** Always appended after the verb. */
  always: readonly string[];
}

const commits: Option[] = [
  ...["--oneline", "--graph", "--decorate", "--no-decorate", "--all", "--branches", "--tags", "--remotes", "--reverse"],
  ...["--merges", "--no-merges", "--first-parent", "--topo-order", "--date-order", "--left-right", "--cherry-pick"],
  ...["--abbrev-commit", "--follow", "--full-history", "--simplify-merges", "-i", "-E", "-F", "--regexp-ignore-case"],
  ...["--extended-regexp", "--fixed-strings", "--all-match", "--invert-grep", "--parents", "--children", "--source"],
  /^-(n\d*|\d+)$/,
  /^--(max-count|skip|since|after|until|before|author|committer|grep|date|format|pretty|abbrev|exclude|glob)=/,
  /^-L./,
];
const patches: Option[] = [
  ...[
    "-p",
    "-u",
    "--patch",
    "-s",
    "--no-patch",
    "--raw",
    "--stat",
    "--numstat",
    "--shortstat",
    "--dirstat",
    "--summary",
  ],
  ...["--name-only", "--name-status", "--patch-with-stat", "--minimal", "--patience", "--histogram", "--full-index"],
  ...["-w", "-b", "--ignore-all-space", "--ignore-space-change", "--ignore-blank-lines", "--ignore-space-at-eol"],
  ...[
    "--word-diff",
    "--color-words",
    "--no-color",
    "--no-renames",
    "-R",
    "-a",
    "--text",
    "-z",
    "-W",
    "--function-context",
  ],
  ...["--cc", "-m", "--root", "--pickaxe-regex", "--pickaxe-all", "--relative", "--check", "--compact-summary"],
  /^-U\d+$/,
  /^-[MCBD]\d*%?$/,
  /^-[SG]./,
  /^--(unified|stat|diff-filter|word-diff|word-diff-regex|diff-algorithm|find-renames|find-copies|inter-hunk-context)=/,
];

const noPrograms = ["--no-ext-diff", "--no-textconv"];
const noSubmodules = "--ignore-submodules=all";

const verbs: Record<string, Verb> = {
  log: { options: [...commits, ...patches], always: noPrograms },
  show: { options: [...commits, ...patches], always: noPrograms },
  diff: {
    options: [...patches, "--cached", "--staged", "--merge-base", "--exit-code", "--quiet"],
    always: [...noPrograms, noSubmodules],
  },
  blame: {
    options: [
      ...["-w", "-l", "-s", "-e", "-f", "-n", "-t", "-p", "--porcelain", "--line-porcelain", "--show-email", "--root"],
      ...["--show-name", "--show-number", "--first-parent", "--reverse", "-b"],
      /^-L./,
      /^-[MC]\d*$/,
      /^--(since|date|abbrev)=/,
    ],
    always: ["--no-textconv"],
  },
  status: {
    options: [
      ...[
        "-s",
        "--short",
        "-b",
        "--branch",
        "--porcelain",
        "--porcelain=v2",
        "--long",
        "-z",
        "--ignored",
        "--show-stash",
      ],
      ...["--ahead-behind", "--no-ahead-behind", "--renames", "--no-renames"],
      /^(-u|--untracked-files=)(no|normal|all)$/,
    ],
    always: [noSubmodules],
  },
  branch: {
    options: [
      ...[
        "-a",
        "--all",
        "-r",
        "--remotes",
        "-l",
        "--list",
        "-v",
        "-vv",
        "--verbose",
        "-i",
        "--ignore-case",
        "--no-color",
      ],
      /^--(contains|no-contains|merged|no-merged|points-at|sort|format|abbrev)=/,
    ],
    // Without it, a word would be the name of a branch to create.
    always: ["--list"],
  },
  "ls-files": {
    options: [
      ...[
        "--cached",
        "-d",
        "--deleted",
        "-m",
        "--modified",
        "-o",
        "--others",
        "-s",
        "--stage",
        "-u",
        "--unmerged",
        "-z",
      ],
      ...["-t", "-k", "--killed", "--directory", "--no-empty-directory", "--eol", "--deduplicate", "--full-name", "-i"],
      ...["--ignored", "--exclude-standard", "--error-unmatch"],
      /^--(abbrev)=/,
    ],
    always: [],
  },
  grep: {
    options: [
      ...["-i", "--ignore-case", "-w", "--word-regexp", "-v", "--invert-match", "-n", "--line-number", "-l", "-L"],
      ...["--files-with-matches", "--files-without-match", "--name-only", "--count", "-E", "--extended-regexp", "-F"],
      ...["--fixed-strings", "-G", "--basic-regexp", "-P", "--perl-regexp", "-e", "--and", "--or", "--not", "-I", "-h"],
      ...["-H", "-o", "--only-matching", "--column", "--heading", "--break", "-p", "--show-function", "-W", "-q"],
      ...[
        "--function-context",
        "--all-match",
        "--cached",
        "--untracked",
        "--exclude-standard",
        "--full-name",
        "--no-color",
      ],
      ...["-z", "-a", "--text"],
      /^-[ABCm]?\d+$/,
      /^-e./,
      /^--(max-depth|max-count|context|after-context|before-context|threads)=\d+$/,
    ],
    always: ["--no-textconv"],
  },
};

export const readingVerbs = Object.keys(verbs);

/**
 * Overrides for settings of the checkout that would run a program, or read a file that the agent
 * may not. The checkout's agents can write those settings.
 */
const harmless = [
  ...["log.showSignature=false", "gpg.program=false", "gpg.openpgp.program=false", "gpg.x509.program=false"],
  ...["gpg.ssh.program=false", "status.submoduleSummary=false", "diff.submodule=short", "blame.ignoreRevsFile="],
  ...["core.attributesFile=/dev/null", "diff.orderFile=/dev/null", "mailmap.file=", "mailmap.blob="],
].flatMap((setting) => ["-c", setting]);

/**
 * Checks the words of a command. Returns the arguments of git, or a refusal that lists what is
 * permitted.
 */
export function parseReadingArguments(words: readonly string[]): string[] {
  const [verb = "", ...rest] = words;
  const known = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!known)
    throw createRefusal(
      "BAD_CALL",
      `git ${verb} is not permitted. The first word is one of ${readingVerbs.join(", ")}.`,
    );
  for (const word of rest) {
    if (word.includes("\0")) throw createRefusal("BAD_CALL", "A word holds a character that no argument can hold.");
    if (word.startsWith("-")) requireOption(verb, known, word);
  }
  for (const word of pathWords(verb, rest)) {
    if (word.startsWith("/") || word.split("/").includes("..")) throw outside(word);
  }
  return [verb, ...known.always, ...rest];
}

/**
 * The words that may be paths: all except options and the pattern of a grep. After `--` there are
 * no options.
 */
function pathWords(verb: string, words: readonly string[]): string[] {
  const plain: string[] = [];
  let hasPattern = verb !== "grep";
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") {
      plain.push(...words.slice(at + 1));
      break;
    }
    if (verb === "grep" && word.startsWith("-e")) {
      hasPattern = true;
      // The pattern is the next word, whatever it looks like.
      if (word === "-e") at += 1;
    } else if (!word.startsWith("-")) plain.push(word);
  }
  return hasPattern ? plain : plain.slice(1);
}

function requireOption(verb: string, { options }: Verb, word: string): void {
  if (word === "--") return;
  if (options.some((option) => (typeof option === "string" ? option === word : option.test(word)))) return;
  throw createRefusal(
    "BAD_CALL",
    `git ${verb} does not take ${word} here. Options with a value are written as one word.`,
  );
}

const outside = (word: string) => createRefusal("OUTSIDE_PROJECT", `${word} leads outside the checkout.`);

/**
 * Runs a reading command. It changes nothing in the checkout and neither takes nor deletes a lock.
 */
export async function readWithGit(
  folders: Folders,
  words: readonly string[],
  { limitBytes, signal }: { limitBytes: number; signal: AbortSignal },
): Promise<GitResult> {
  const args = parseReadingArguments(words);
  await requireWithin(folders, pathWords(words[0] ?? "", words.slice(1)));
  const filters = await filtersOff(folders, signal);
  const harmlessly = (command: string[], limit?: { limitBytes: number }) =>
    runReading(folders, [...harmless, ...filters, "--no-pager", ...command], { ...limit, signal });
  if (words[0] !== "grep") return await harmlessly(args, { limitBytes });
  const links = await listLinksOverFolders(folders, harmlessly);
  const without = links.map((path) => `:(top,exclude,literal)${path}`);
  return await harmlessly([...args, ...without], { limitBytes });
}

/** Runs git so that it neither writes the index nor fetches missing objects from a remote. */
export async function runReading(
  folders: Folders,
  args: string[],
  { limitBytes, signal }: { limitBytes?: number; signal: AbortSignal },
): Promise<GitResult> {
  return await tryGit(folders, args, {
    ...(limitBytes === undefined ? {} : { outputLimitBytes: limitBytes }),
    leavesLocks: true,
    signal,
    env: { GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none", GIT_PAGER: "cat" },
  });
}

/** Refuses a word that names a file of the checkout if a link leads that path out of it. */
async function requireWithin({ project }: Folders, words: readonly string[]): Promise<void> {
  for (const word of words.filter((one) => one !== "")) {
    await resolveInProject(project, word).catch((error: unknown) => {
      // Most words are revisions and patterns, which name no file.
      if (toRefusal(error).code === "OUTSIDE_PROJECT") throw outside(word);
    });
  }
}

/**
 * The settings that disable the filters of the checkout's configuration, because each is a program.
 */
async function filtersOff(folders: Folders, signal: AbortSignal): Promise<string[]> {
  const { stdout } = await runReading(folders, ["config", "--null", "--name-only", "--get-regexp", "^filter\\."], {
    signal,
  });
  const drivers = new Set(stdout.split("\0").flatMap((name) => /^filter\.(.+)\.[^.]+$/s.exec(name)?.[1] ?? []));
  return [...drivers].flatMap((driver) =>
    ["clean=", "smudge=", "process=", "required=false"].flatMap((setting) => ["-c", `filter.${driver}.${setting}`]),
  );
}
