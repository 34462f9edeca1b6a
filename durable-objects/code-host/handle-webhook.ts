// Notifies the sessions and projects that a webhook concerns, in pages. Each decides what the event
// changes.
import { createCodeHost } from "../../src/code-host/code-host.ts";
import { findRepositoryOfProjects, listProjectsOnTarget, updateRepositoryName } from "../../src/code-host/queries.ts";
import type {
  Concerned,
  StoredWebhook,
  WebhookProgress,
  WebhookRepository,
} from "../../src/code-host/rules/webhook.ts";
import type { Env } from "../../src/env.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { listSessionsAffectedByPush, listSessionsOnBranches } from "../../src/session/queries/of-branch.ts";
import type { CodeHostEvent } from "../../src/session/rules/pull-request/code-host-event.ts";
import { runLabelTriggers } from "../../src/trigger/label.ts";
import { runMentionTriggers } from "../../src/trigger/mention.ts";
import { runPullRequestTriggers } from "../../src/trigger/pull-request.ts";
import { getProjectObject, getSessionObject } from "../address.ts";

/** Webhooks of which sessions and projects are notified. The others take one step. */
type PagedWebhook = Extract<StoredWebhook, { type: "check-of-branch" | "report" | "push" }>;

const sessionsPerPush = 200;
/** The platform limits the calls of an invocation. */
const perPage = 50;

/**
 * Handles a webhook, or a page of the sessions and projects that it concerns. Idempotent. Returns
 * the progress for the next page, or null once all is done.
 */
export async function handleWebhook(
  env: Env,
  webhook: StoredWebhook,
  delivery: string,
): Promise<WebhookProgress | null> {
  switch (webhook.type) {
    case "renamed":
      await updateRepositoryName(env.DB, webhook.repository);
      return null;
    case "labeled":
      await runLabelTriggers(env, webhook, delivery);
      return null;
    case "commented":
      await runMentionTriggers(env, webhook);
      return null;
    case "proposed":
      await runPullRequestTriggers(env, webhook, delivery);
      return null;
    default:
      return await notifyPage(env, webhook);
  }
}

/**
 * Notifies a page of sessions and projects. Deleted sessions are skipped. Those that do not respond
 * are left to the next try.
 */
async function notifyPage(env: Env, webhook: PagedWebhook): Promise<WebhookProgress | null> {
  const { left, failed, event } = (await findProgress(env, webhook)) ?? (await listConcerned(env, webhook));
  const page = left.slice(0, perPage);
  const settled = await Promise.allSettled(
    page.map(({ type, id }) =>
      type === "session" ? getSessionObject(env, id).handleEvent(event) : getProjectObject(env, id).targetMoved(),
    ),
  );
  const failedNow = settled.flatMap((one, place) => (one.status === "rejected" ? (page[place] ?? []) : []));
  const next = { left: left.slice(perPage), failed: [...failed, ...failedNow], event };
  return next.left.length + next.failed.length > 0 ? next : null;
}

/**
 * The progress of a webhook; null before its first page. Nobody else is notified of a check once
 * the branch has another head.
 */
async function findProgress(env: Env, webhook: PagedWebhook): Promise<WebhookProgress | null> {
  const { telling: progress = null } = webhook;
  if (progress === null || webhook.type !== "check-of-branch") return progress;
  const { repository, branch, event } = webhook;
  return (await isHead(env, repository, { branch, sha: event.sha })) ? progress : { left: [], failed: [], event };
}

/** The sessions and projects that a webhook concerns, none of them notified yet. */
async function listConcerned(env: Env, webhook: PagedWebhook): Promise<WebhookProgress> {
  const { DB } = env;
  const { repository } = webhook;
  switch (webhook.type) {
    case "check-of-branch": {
      const { branch, event } = webhook;
      const ids = await listSessionsOnBranches(DB, repository, [branch]);
      const isCurrent = ids.length > 0 && (await isHead(env, repository, { branch, sha: event.sha }));
      return createProgress(isCurrent ? ids : [], [], event);
    }
    case "report": {
      const ids = webhook.branches.length === 0 ? [] : await listSessionsOnBranches(DB, repository, webhook.branches);
      return createProgress(ids, [], webhook.event);
    }
    case "push": {
      const { branch } = webhook;
      const sessionIds = await listSessionsAffectedByPush(DB, { ...webhook, ...repository }, sessionsPerPush);
      const projectIds = await listProjectsOnTarget(DB, { ...repository, branch });
      return createProgress(sessionIds, projectIds, { type: "branch" });
    }
  }
}

function createProgress(sessionIds: string[], projectIds: string[], event: CodeHostEvent): WebhookProgress {
  const left = [
    ...sessionIds.map((id): Concerned => ({ type: "session", id })),
    ...projectIds.map((id): Concerned => ({ type: "project", id })),
  ];
  return { left, failed: [], event };
}

/**
 * True if a commit is the head of a branch of this repository. The branch may belong to a fork, or
 * have moved on.
 */
async function isHead(
  env: Env,
  repository: WebhookRepository,
  { branch, sha }: { branch: string; sha: string },
): Promise<boolean> {
  const ref = await findRepositoryOfProjects(env.DB, repository);
  if (ref === null) return false;
  const compared = await createCodeHost(env, ref).compareBranches(ref.repository, sha, branch);
  if (!isRefusal(compared)) return compared.behindBy === 0 && compared.aheadBy === 0;
  // The branch is deleted, or the commit belongs to a fork.
  if (compared.code === "NOT_FOUND") return false;
  throw new Error(compared.message);
}
