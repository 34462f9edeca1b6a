// A collaborator who works on the demo repository outside of the service: commits, pushed to
// branches of the code host with git.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { demoRepository as repository } from "../../practice/seed.ts";
import { git } from "./git.ts";
import { readSecrets } from "./world-secrets.ts";

/** Files to write; null removes one. */
export type Changes = Record<string, string | null>;

/** Creates a collaborator at the code host of a world. */
export function createCollaborator(world: { stateDir: string; forgeUrl: string }) {
  const { codeHostToken } = readSecrets(world);
  const bare = `${world.stateDir}/forge/repositories/${repository}.git`;
  const address = `${world.forgeUrl.replace("://", `://x-access-token:${codeHostToken}@`)}/${repository}.git`;

  async function run(cwd: string, ...args: string[]): Promise<string> {
    const settings = ["user.name=Cleo", "user.email=cleo@example.test", "maintenance.auto=false"];
    const done = await git(cwd, [...settings.flatMap((setting) => ["-c", setting]), ...args]);
    if (done.exitCode !== 0) throw new Error(`git ${args[0]}: ${done.stderr}`);
    return done.stdout;
  }

  return {
    repository,
    /** Runs git in the code host's repository. */
    atHost: (...args: string[]) => run(world.stateDir, "--git-dir", bare, ...args),
    /** Commits to a branch and pushes it. A new branch starts from `from`. */
    async commit(branch: string, changes: Changes, from = branch): Promise<void> {
      const clone = await mkdtemp(join(tmpdir(), "collaborator-"));
      try {
        // From the disk, with the objects there: a clone over HTTP runs a dozen processes more. The
        // push is what the code host has to see.
        await run(clone, "clone", "--quiet", "--shared", "--no-checkout", bare, ".");
        await run(clone, "checkout", "--quiet", "-B", branch, `origin/${from}`);
        for (const [path, content] of Object.entries(changes)) {
          await mkdir(dirname(join(clone, path)), { recursive: true });
          if (content === null) await rm(join(clone, path));
          else await writeFile(join(clone, path), content);
        }
        await run(clone, "add", "--all");
        await run(clone, "commit", "--quiet", "--message", "from elsewhere");
        await run(clone, "push", "--quiet", address, branch);
      } finally {
        await rm(clone, { recursive: true, force: true });
      }
    },
    /** Calls the code host's API. The answer is an issue or a pull request, or as typed. */
    async call<Answer = { number: number; draft?: boolean }>(
      method: string,
      path: string,
      body?: unknown,
    ): Promise<Answer> {
      const answer = await fetch(`${world.forgeUrl}/repos/${repository}${path}`, {
        method,
        headers: { authorization: `Bearer ${codeHostToken}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
      return JSON.parse(text || "null");
    },
  };
}
