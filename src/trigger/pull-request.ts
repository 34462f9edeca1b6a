// Runs the triggers for a pull request that was opened, became ready for review, or got a label. A
// session starts on its head. The head of a fork is never checked out.

import type { CodeHost } from "../code-host/code-host.ts";
import type { ProposedPullRequest, WebhookRepository } from "../code-host/rules/webhook.ts";
import { findOrThrow } from "../code-host/temporary-failure.ts";
import type { Env } from "../env.ts";
import { createSharedRead } from "../lib/shared-read.ts";
import { findSessionOfPullRequest } from "../session/queries/of-branch.ts";
import { runForMember } from "./host-event.ts";
import { runInProjects } from "./projects.ts";
import { isForPaths, isForPullRequest } from "./rules/match.ts";
import { createPullRequestPlan } from "./rules/plan.ts";
import type { Trigger } from "./rules/trigger.ts";

interface Proposed {
  repository: WebhookRepository;
  pull: ProposedPullRequest;
}

/** Runs the triggers of all projects of the repository. Throws if some have to be repeated. */
export async function runPullRequestTriggers(
  env: Env,
  { repository, pull }: Proposed,
  delivery: string,
): Promise<void> {
  const { repositoryId } = repository;
  const isMatching = (trigger: Trigger) => isForPullRequest(trigger, pull);
  await runInProjects(env, repository, isMatching, async (matching) => {
    const hasPaths = createPathFilter({ ...matching, number: pull.number });
    const findOwner = createSharedRead(() =>
      findSessionOfPullRequest(env.DB, matching.found.project.id, getOwnBranch(pull)),
    );
    await runForMember(env, matching, pull, async (trigger) => {
      if (!(await hasPaths(trigger))) return null;
      const ownerId = await findOwner();
      return { ...createPullRequestPlan(trigger, { pull, repositoryId, delivery, ownerId }), ownerId };
    });
  });
}

/** What finds the session of a pull request. A fork's branch may have the name of a session's. */
export const getOwnBranch = ({ number, branch, isFork }: ProposedPullRequest) => ({
  number,
  branch: isFork ? null : branch,
});

interface PullRequestAt {
  host: CodeHost;
  repository: string;
  number: number;
}

/**
 * Creates the function that is true if the pull request changes a file that a trigger is for. All
 * triggers share one read. It throws if the code host has to be asked again.
 */
export function createPathFilter({ host, repository, number }: PullRequestAt): (trigger: Trigger) => Promise<boolean> {
  const readPaths = createSharedRead(
    async () => (await findOrThrow(host.listChangedFiles(repository, number)))?.map(({ path }) => path) ?? null,
  );
  return async (trigger) => {
    if (trigger.when.paths.length === 0) return true;
    const paths = await readPaths();
    return paths !== null && isForPaths(trigger, paths);
  };
}
