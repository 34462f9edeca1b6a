// Runs the triggers for a label on an issue, and for its assignment. Only a member may ask for it.
import { readOwnAccount } from "../code-host/own-account.ts";
import type { LabeledIssue, WebhookRepository } from "../code-host/rules/webhook.ts";
import type { Env } from "../env.ts";
import { isRefusal } from "../rules/refusal.ts";
import { runForMember } from "./host-event.ts";
import { runInProjects } from "./projects.ts";
import { isForIssue } from "./rules/match.ts";
import { createLabelPlan } from "./rules/plan.ts";
import type { Trigger } from "./rules/trigger.ts";

interface Labeled {
  repository: WebhookRepository;
  issue: LabeledIssue;
}

/** Runs the triggers of all projects of the repository. Throws if some have to be repeated. */
export async function runLabelTriggers(env: Env, { repository, issue }: Labeled, delivery: string): Promise<void> {
  const { repositoryId } = repository;
  const ownNames = await listOwnNames(env, issue);
  const isMatching = (trigger: Trigger) => isForIssue(trigger, issue, ownNames);
  await runInProjects(env, repository, isMatching, (matching) =>
    runForMember(env, matching, issue, async (trigger) => createLabelPlan(trigger, { issue, repositoryId, delivery })),
  );
}

/**
 * The names of the service's account to which an issue may be assigned; none for a label. Throws if
 * the code host has to be asked again.
 */
export async function listOwnNames(env: Env, { assignee }: LabeledIssue): Promise<string[]> {
  if (assignee === undefined) return [];
  const own = await readOwnAccount(env, Date.now());
  if (isRefusal(own)) throw new Error(own.message);
  return own === null ? [] : [own.name, own.login];
}
