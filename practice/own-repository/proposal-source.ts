// Reads the files of a repository that a proposal of its settings needs. Only git reads them:
// nothing in the repository is run.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { listProposalFiles, type Proposal, proposeSettings } from "../../src/project/rules/proposal/proposal.ts";
import { getGitEnvironment } from "../code-host/git-environment.ts";
import type { HostedRepository } from "../code-host/relay.ts";

const run = promisify(execFile);
const bytesMax = 1 << 28;
/** The limit for one file. */
const textBytesMax = 512 * 1_024;

/** Proposes settings for a branch of a bare repository. */
export async function proposeForBare(
  gitDir: string,
  branch: string,
  env: Record<string, string> = getGitEnvironment(gitDir),
): Promise<Proposal> {
  const git = async (...args: string[]) =>
    (await run("git", ["--git-dir", gitDir, ...args], { env, maxBuffer: bytesMax })).stdout;
  const listed = await git("ls-tree", "-r", "-z", "--name-only", `refs/heads/${branch}`);
  const paths = listed.split("\0").filter((path) => path !== "");
  const texts = new Map<string, string>();
  for (const path of listProposalFiles(paths)) {
    const text = await git("cat-file", "blob", `refs/heads/${branch}:${path}`);
    if (text.length <= textBytesMax) texts.set(path, text);
  }
  return proposeSettings(paths, texts);
}

/**
 * Proposes settings for a branch of a repository at the code host. Its files are fetched as they
 * are read.
 */
export async function proposeForHosted({ name, gitUrl, token }: HostedRepository, branch: string): Promise<Proposal> {
  const work = await mkdtemp(join(tmpdir(), "switchyard-proposal-"));
  try {
    const credential = Buffer.from(`x-access-token:${token}`).toString("base64");
    const env = {
      ...getGitEnvironment(work),
      // Not passed as an argument, because everybody on the machine can read those.
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `http.${gitUrl}/.extraHeader`,
      GIT_CONFIG_VALUE_0: `Authorization: Basic ${credential}`,
    };
    const bare = join(work, "bare.git");
    const narrow = ["--depth=1", "--filter=blob:none", "--single-branch", "--no-tags", `--branch=${branch}`];
    await run("git", ["clone", "--quiet", "--bare", ...narrow, `${gitUrl}/${name}.git`, bare], { env });
    return await proposeForBare(bare, branch, env);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
