// Runs the triggers for a label on an issue. Only the label of a member who may push counts.
// Anybody else gets no answer, and no run says that there are triggers.
import { findFacts } from "../access/queries.ts";
import { type CodeHost, createCodeHost } from "../code-host/code-host.ts";
import { listProjectsWithTriggers } from "../code-host/queries.ts";
import type { LabeledIssue, WebhookRepository } from "../code-host/rules/webhook.ts";
import type { Env } from "../env.ts";
import { findProject } from "../project/queries.ts";
import { isRefusal } from "../rules/refusal.ts";
import { isMemberAccount } from "../workspace/queries/members.ts";
import { findTriggers } from "./queries.ts";
import { isForLabel } from "./rules/match.ts";
import type { Quote } from "./rules/material.ts";
import { createPlaceTitle } from "./rules/request.ts";
import { projectDetails, runTrigger } from "./run.ts";

interface Labeled {
  repository: WebhookRepository;
  issue: LabeledIssue;
}

/**
 * Runs the triggers of all projects of the repository. Throws if some have to be repeated, after
 * all others have run: a project must not keep another one waiting.
 */
export async function runLabelTriggers(env: Env, labeled: Labeled, delivery: string): Promise<void> {
  const failed: unknown[] = [];
  for (const projectId of await listProjectsWithTriggers(env.DB, labeled.repository))
    await runOfProject(env, projectId, labeled, delivery).catch((error: unknown) => failed.push(error));
  if (failed.length > 0) throw failed[0];
}

async function runOfProject(
  env: Env,
  projectId: string,
  { repository, issue }: Labeled,
  delivery: string,
): Promise<void> {
  const { triggers } = await findTriggers(env.DB, projectId);
  const matching = triggers.filter((trigger) => isForLabel(trigger, issue.label));
  if (matching.length === 0) return;
  const project = await findProject(env.DB, projectId);
  const found = await findFacts(env.DB, { noun: "project", with: projectDetails, params: { projectId } });
  if (!project || !found || found.workspace.suspendedAt !== null) return;
  if (!(await isMemberAccount(env.DB, found.workspace.id, issue.by.hostUserId))) return;
  if (!(await mayPush(createCodeHost(env, project), project.repository, issue.by))) return;
  const { number, url, label, by } = issue;
  for (const trigger of matching) {
    const happened = {
      ...{ trigger, found, source: "github" as const, url, login: by.login },
      cause: `label ${number} ${label.toLowerCase()} ${delivery}`,
      place: { kind: "issue" as const, externalId: `${repository.repositoryId}#${number}` },
      title: createPlaceTitle(trigger.name, `#${number}`),
      quotes: listQuotes(issue),
    };
    const run = await runTrigger(env, happened, { now: Date.now(), graceMs: 0 });
    if (isRefusal(run)) throw new Error(run.message);
  }
}

/** True for an account that may push. Throws if the code host has to be asked again. */
async function mayPush(host: CodeHost, repository: string, by: LabeledIssue["by"]): Promise<boolean> {
  const access = await host.readAccess(repository, by);
  if (isRefusal(access) && access.code === "SERVICE_UNAVAILABLE") throw new Error(access.message);
  return access === "push";
}

/**
 * Title and text of an issue. Each is cleaned by itself, so that the title does not hide the text.
 */
function listQuotes({ number, title, body, author }: LabeledIssue): Quote[] {
  const opened = { title: `Issue #${number}, opened by ${author ?? "a deleted account"}:`, text: title };
  return body.trim() === "" ? [opened] : [opened, { title: "Its text:", text: body }];
}
