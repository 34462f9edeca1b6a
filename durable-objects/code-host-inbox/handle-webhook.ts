// Passes a webhook on to the sessions and projects that it concerns. Each decides what the event changes.
import { codeHost } from "../../src/code-host/code-host.ts";
import type { Env } from "../../src/env.ts";
import type { CodeHostEvent } from "../../src/rules/pull-request/code-host-event.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import type { Webhook, WebhookRepository } from "../../src/rules/webhook.ts";
import { projectsOnTarget, renameRepository, repositoryOfProjects } from "../../src/storage/queries/repositories.ts";
import { sessionsAffectedByPush, sessionsOnBranches } from "../../src/storage/queries/sessions-of-branch.ts";
import { projectObject, sessionObject } from "../address.ts";

const sessionsPerPush = 200;

/**
 * Tells every session and project that a webhook concerns. Idempotent; deleted sessions are skipped. Throws an AggregateError if one could not
 * be told, after all others have been: the inbox then tries the event again.
 */
export async function handleWebhook(env: Env, webhook: Webhook): Promise<void> {
  if (webhook.type === "renamed") return await renameRepository(env.DB, webhook.repository);
  const { ids, event } = await concerned(env, webhook);
  const moved =
    webhook.type === "push" ? await projectsOnTarget(env.DB, { ...webhook.repository, branch: webhook.branch }) : [];
  const settled = await Promise.allSettled([
    ...ids.map(async (id) => await sessionObject(env, id).handleEvent(event)),
    ...moved.map(async (id) => await projectObject(env, id).targetMoved()),
  ]);
  const reasons = settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (reasons.length > 0)
    throw new AggregateError(reasons, `${reasons.length} of ${settled.length} could not be told: ${reasons[0]}`);
}

async function concerned(
  env: Env,
  webhook: Exclude<Webhook, { type: "renamed" }>,
): Promise<{ ids: string[]; event: CodeHostEvent }> {
  const { DB } = env;
  const { repository } = webhook;
  switch (webhook.type) {
    case "check-of-branch": {
      const { branch, event } = webhook;
      const ids = await sessionsOnBranches(DB, repository, [branch]);
      const isCurrent = ids.length > 0 && (await isHead(env, repository, { branch, sha: event.sha }));
      return { ids: isCurrent ? ids : [], event };
    }
    case "report": {
      const ids = webhook.branches.length === 0 ? [] : await sessionsOnBranches(DB, repository, webhook.branches);
      return { ids, event: webhook.event };
    }
    case "push":
      return {
        ids: await sessionsAffectedByPush(DB, { ...webhook, ...repository }, sessionsPerPush),
        event: { type: "branch" },
      };
  }
}

/** True if a commit is the head of a branch of this repository. The branch may belong to a fork, or have moved on. */
async function isHead(
  env: Env,
  repository: WebhookRepository,
  { branch, sha }: { branch: string; sha: string },
): Promise<boolean> {
  const ref = await repositoryOfProjects(env.DB, repository);
  if (ref === null) return false;
  const compared = await codeHost(env, ref).compareBranches(ref.repository, sha, branch);
  if (!isRefusal(compared)) return compared.behindBy === 0 && compared.aheadBy === 0;
  // The branch is deleted, or the commit belongs to a fork.
  if (compared.code === "NOT_FOUND") return false;
  throw new Error(compared.message);
}
