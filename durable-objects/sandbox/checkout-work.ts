// Work by hand in a sandbox: files, commits, pushes, and saves.

import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { changed } from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { FileWrite, GitCommit, GitCommitted } from "../../src/sandbox-protocol/protocol.ts";
import type { SandboxContext } from "./context.ts";
import { taskToken } from "./settings-checkout-wanted.ts";

/** Reads a file of a running sandbox. Refused with `asleep` if it does not run. */
export async function readFile({ access }: SandboxContext, path: string, asleep: string): Promise<string | Refusal> {
  const read = await access.inAwake(asleep, () => access.program().readFile(path));
  return isRefusal(read) ? read : read.content;
}

/** Replaces a file of a running sandbox. Refused with `asleep` if it does not run. */
export async function writeFile(
  { access }: SandboxContext,
  { path, content }: FileWrite,
  asleep: string,
): Promise<Refusal | null> {
  return await access.changing(access.inAwake(asleep, () => access.program().writeFile({ path, content })));
}

/** Commits every change. Wakes the sandbox. */
export async function commit(
  { access }: SandboxContext,
  owner: SandboxOwner,
  what: GitCommit,
): Promise<GitCommitted | Refusal> {
  return await access.change(owner, () => access.program().commit(what));
}

/** Pushes the branch for a member, or for an agent that acts as nobody. Wakes the sandbox. */
export async function push(
  { env, access }: SandboxContext,
  owner: SandboxOwner,
  memberId: string | null,
): Promise<Refusal | null> {
  return await access.change(owner, async ({ generation }) => {
    const token = await taskToken(env, { key: access.key, owner, generation, memberId }, "push");
    return await access.program().push({ token });
  });
}

/** Saves the work, and waits until it is saved. */
export async function saveNow({ access, shell }: SandboxContext): Promise<void> {
  shell.decide(changed);
  await shell.settled(`save:${access.sandbox().generation}`);
}
