// Hears what the code host tells: each session that it concerns is told, and decides for itself what it makes of it.
import { sessionObject } from "../../../durable-objects/address.ts";
import { codeHost } from "../../code-host/code-host.ts";
import type { HostEvent } from "../../code-host/webhook.ts";
import type { Env } from "../../env.ts";
import type { HostNews } from "../../rules/pull-request/code-host-event.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { sessionsMovedBy, sessionsOnBranches } from "../../storage/queries/sessions-of-branch.ts";

const sessionsPerPush = 200;

/** Passes an event on. Safe to repeat. A session that is gone hears nothing. Throws, when all others have heard it, where one could not be told. */
export async function hearCodeHost(env: Env, event: HostEvent): Promise<void> {
  const { ids, news } = await concerned(env, event);
  const told = await Promise.allSettled(ids.map(async (id) => await sessionObject(env, id).hear(news)));
  const reasons = told.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (reasons.length > 0)
    throw new AggregateError(reasons, `${reasons.length} of ${ids.length} sessions did not hear: ${reasons[0]}`);
}

async function concerned(env: Env, event: HostEvent): Promise<{ ids: string[]; news: HostNews }> {
  const { DB } = env;
  const { repository } = event;
  if ("checked" in event) {
    const { checked, news } = event;
    const ids = await sessionsOnBranches(DB, repository, [checked]);
    const isHeeded = ids.length > 0 && (await isHead(env, repository, { branch: checked, sha: news.sha }));
    return { ids: isHeeded ? ids : [], news };
  }
  if ("news" in event) {
    const ids = event.branches.length === 0 ? [] : await sessionsOnBranches(DB, repository, event.branches);
    return { ids, news: event.news };
  }
  const push = { repository, branch: event.pushed, isForced: event.isForced };
  return { ids: await sessionsMovedBy(DB, push, sessionsPerPush), news: { about: "branch" } };
}

/** Whether a commit is the head of a branch. A fork may have a branch of the same name, and a branch goes on. */
async function isHead(
  env: Env,
  repository: string,
  { branch, sha }: { branch: string; sha: string },
): Promise<boolean> {
  const compared = await codeHost(env).compareBranches(repository, sha, branch);
  if (!isRefusal(compared)) return compared.behindBy === 0 && compared.aheadBy === 0;
  // The branch is gone, or the commit was never here.
  if (compared.code === "NOT_FOUND") return false;
  throw new Error(compared.message);
}
