// The projects of a repository whose triggers an event of the code host may run.
import { type Found, findFacts } from "../access/queries.ts";
import { type CodeHost, createCodeHost } from "../code-host/code-host.ts";
import { listProjectsWithTriggers } from "../code-host/queries.ts";
import type { WebhookRepository } from "../code-host/rules/webhook.ts";
import type { Env } from "../env.ts";
import { findProject } from "../project/queries.ts";
import { WaitingError } from "../rules/parking.ts";
import { findTriggers } from "./queries/triggers.ts";
import type { Trigger } from "./rules/trigger.ts";
import { projectDetails } from "./run.ts";

/** A project with the triggers that match. */
export interface Matching {
  triggers: Trigger[];
  found: Found<"project", (typeof projectDetails)[number]>;
  host: CodeHost;
  repository: string;
}

/**
 * Calls `run` for each project of a repository with matching triggers. Throws if some have to be
 * repeated.
 */
export async function runInProjects(
  env: Env,
  repository: WebhookRepository,
  isMatching: (trigger: Trigger) => boolean,
  run: (matching: Matching) => Promise<void>,
): Promise<void> {
  await runEach(await listProjectsWithTriggers(env.DB, repository), async (projectId) => {
    const matching = await findMatching(env, projectId, isMatching);
    if (matching) await run(matching);
  });
}

/** Runs each in turn. A failed one does not keep the others waiting, and is thrown at the end. */
export async function runEach<Of>(all: readonly Of[], run: (one: Of) => Promise<void>): Promise<void> {
  const failed: unknown[] = [];
  for (const one of all) await run(one).catch((error: unknown) => failed.push(error));
  // One that waits may hide no failure of another one.
  if (failed.length > 0) throw failed.find((error) => !(error instanceof WaitingError)) ?? failed[0];
}

async function findMatching(
  env: Env,
  projectId: string,
  isMatching: (trigger: Trigger) => boolean,
): Promise<Matching | null> {
  const triggers = (await findTriggers(env.DB, projectId)).triggers.filter(isMatching);
  if (triggers.length === 0) return null;
  const project = await findProject(env.DB, projectId);
  const found = await findFacts(env.DB, { noun: "project", with: projectDetails, params: { projectId } });
  if (!project || !found || found.workspace.suspendedAt !== null) return null;
  return { triggers, found, host: createCodeHost(env, project), repository: project.repository };
}
