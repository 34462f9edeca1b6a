// Hears what the code host tells: each session that it concerns is told, and decides for itself what it makes of it.
import { sessionObject } from "../../durable-objects/address.ts";
import type { HostEvent } from "../code-host/webhook.ts";
import type { Env } from "../env.ts";
import type { HostNews } from "../rules/pull-request-news.ts";
import { sessionsMovedBy, sessionsOnBranches } from "../storage/queries/sessions-of-branch.ts";

const sessionsPerPush = 200;

/** Passes an event on. Safe to repeat. A session that is gone hears nothing. */
export async function hearCodeHost(env: Env, event: HostEvent): Promise<void> {
  const { ids, news } = await concerned(env, event);
  await Promise.all(ids.map((id) => sessionObject(env, id).hear(news)));
}

async function concerned({ DB }: Env, event: HostEvent): Promise<{ ids: string[]; news: HostNews }> {
  const { repository } = event;
  if ("news" in event) {
    const ids = event.branches.length === 0 ? [] : await sessionsOnBranches(DB, repository, event.branches);
    return { ids, news: event.news };
  }
  const push = { repository, branch: event.pushed, isForced: event.isForced };
  return { ids: await sessionsMovedBy(DB, push, sessionsPerPush), news: { about: "branch" } };
}
