// Runs the triggers for a pull request that was opened, became ready for review, or got a label. A
// session starts on its head. The head of a fork is never checked out.
import { findAnswer } from "../code-host/answer.ts";
import type { CodeHost } from "../code-host/code-host.ts";
import type { ProposedPullRequest, WebhookRepository } from "../code-host/rules/webhook.ts";
import type { Env } from "../env.ts";
import { createSharedRead } from "../lib/shared-read.ts";
import { isRefusal } from "../rules/refusal.ts";
import { findSessionOfPullRequest } from "../session/queries/of-branch.ts";
import { readAsker } from "./asker.ts";
import { type Matching, runEach, runInProjects } from "./projects.ts";
import { isForPaths, isForPullRequest } from "./rules/match.ts";
import { createPullRequestPlan } from "./rules/plan.ts";
import type { Trigger } from "./rules/trigger.ts";
import { runTrigger } from "./run.ts";

interface Proposed {
  repository: WebhookRepository;
  pull: ProposedPullRequest;
}

/** Runs the triggers of all projects of the repository. Throws if some have to be repeated. */
export async function runPullRequestTriggers(env: Env, proposed: Proposed, delivery: string): Promise<void> {
  const isMatching = (trigger: Trigger) => isForPullRequest(trigger, proposed.pull);
  await runInProjects(env, proposed.repository, isMatching, (of) => runOfProject(env, of, proposed, delivery));
}

async function runOfProject(
  env: Env,
  { triggers, found, host, repository: name }: Matching,
  { repository, pull }: Proposed,
  delivery: string,
): Promise<void> {
  const { url, by } = pull;
  const asker = await readAsker(
    env,
    { workspaceId: found.workspace.id, host, repository: name },
    { ...by, isBot: false },
  );
  if (asker?.kind !== "member") return;
  const ownerId = await findSessionOfPullRequest(env.DB, found.project.id, getOwnBranch(pull));
  const hasPaths = createPathFilter({ host, repository: name, number: pull.number });
  await runEach(triggers, async (trigger) => {
    if (!(await hasPaths(trigger))) return;
    const happened = {
      ...{ trigger, found, source: "github" as const, url, login: by.login, askedBy: asker.userId, ownerId },
      ...createPullRequestPlan(trigger, { pull, repositoryId: repository.repositoryId, delivery, ownerId }),
    };
    const run = await runTrigger(env, happened, { now: Date.now(), graceMs: 0 });
    if (isRefusal(run)) throw new Error(run.message);
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
    async () => (await findAnswer(host.listChangedFiles(repository, number)))?.map(({ path }) => path) ?? null,
  );
  return async (trigger) => {
    if (trigger.when.paths.length === 0) return true;
    const paths = await readPaths();
    return paths !== null && isForPaths(trigger, paths);
  };
}
