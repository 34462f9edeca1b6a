// Runs the triggers for a label on an issue, and for its assignment. Only a member may ask for it.
// Anybody else gets no answer, and no run says that there are triggers.
import { readOwnAccount } from "../code-host/own-account.ts";
import type { LabeledIssue, WebhookRepository } from "../code-host/rules/webhook.ts";
import type { Env } from "../env.ts";
import { isRefusal } from "../rules/refusal.ts";
import { readAsker } from "./asker.ts";
import { type Matching, runEach, runInProjects } from "./projects.ts";
import { isForIssue } from "./rules/match.ts";
import { createLabelPlan } from "./rules/plan.ts";
import { runTrigger } from "./run.ts";

interface Labeled {
  repository: WebhookRepository;
  issue: LabeledIssue;
}

/** Runs the triggers of all projects of the repository. Throws if some have to be repeated. */
export async function runLabelTriggers(env: Env, labeled: Labeled, delivery: string): Promise<void> {
  const { issue } = labeled;
  const ownNames = await listOwnNames(env, issue);
  const isMatching = (trigger: Matching["triggers"][number]) => isForIssue(trigger, issue, ownNames);
  await runInProjects(env, labeled.repository, isMatching, (of) => runOfProject(env, of, labeled, delivery));
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

async function runOfProject(
  env: Env,
  { triggers, found, host, repository: name }: Matching,
  { repository, issue }: Labeled,
  delivery: string,
): Promise<void> {
  const { url, by } = issue;
  const place = { workspaceId: found.workspace.id, host, repository: name };
  const asker = await readAsker(env, place, { ...by, isBot: false });
  if (asker?.kind !== "member") return;
  await runEach(triggers, async (trigger) => {
    const happened = {
      ...{ trigger, found, source: "github" as const, url, login: by.login, askedBy: asker.userId },
      ...createLabelPlan(trigger, { issue, repositoryId: repository.repositoryId, delivery }),
    };
    const run = await runTrigger(env, happened, { now: Date.now(), graceMs: 0 });
    if (isRefusal(run)) throw new Error(run.message);
  });
}
