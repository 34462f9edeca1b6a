// Passes a webhook on to the sessions that it concerns. Each session decides what the event changes.
import { sessionObject } from "../../../durable-objects/address.ts";
import { codeHost } from "../../code-host/code-host.ts";
import type { HostEvent } from "../../code-host/webhook.ts";
import type { Env } from "../../env.ts";
import type { HostNews } from "../../rules/pull-request/code-host-event.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { sessionsAffectedByPush, sessionsOnBranches } from "../../storage/queries/sessions-of-branch.ts";

const sessionsPerPush = 200;

/**
 * Tells every concerned session of an event. Idempotent; deleted sessions are skipped. Throws an AggregateError if a session could not be
 * told, after all others have been: GitHub then redelivers the event.
 */
export async function handleWebhook(env: Env, event: HostEvent): Promise<void> {
  const { ids, news } = await concerned(env, event);
  const settled = await Promise.allSettled(ids.map(async (id) => await sessionObject(env, id).handleEvent(news)));
  const reasons = settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (reasons.length > 0)
    throw new AggregateError(reasons, `${reasons.length} of ${ids.length} sessions could not be told: ${reasons[0]}`);
}

async function concerned(env: Env, event: HostEvent): Promise<{ ids: string[]; news: HostNews }> {
  const { DB } = env;
  const { repository } = event;
  switch (event.type) {
    case "check-of-branch": {
      const { branch, news } = event;
      const ids = await sessionsOnBranches(DB, repository, [branch]);
      const isCurrent = ids.length > 0 && (await isHead(env, repository, { branch, sha: news.sha }));
      return { ids: isCurrent ? ids : [], news };
    }
    case "report": {
      const ids = event.branches.length === 0 ? [] : await sessionsOnBranches(DB, repository, event.branches);
      return { ids, news: event.news };
    }
    case "push":
      return { ids: await sessionsAffectedByPush(DB, event, sessionsPerPush), news: { about: "branch" } };
  }
}

/** True if a commit is the head of a branch of this repository. The branch may belong to a fork, or have moved on. */
async function isHead(
  env: Env,
  repository: string,
  { branch, sha }: { branch: string; sha: string },
): Promise<boolean> {
  const compared = await codeHost(env).compareBranches(repository, sha, branch);
  if (!isRefusal(compared)) return compared.behindBy === 0 && compared.aheadBy === 0;
  // The branch is deleted, or the commit belongs to a fork.
  if (compared.code === "NOT_FOUND") return false;
  throw new Error(compared.message);
}
