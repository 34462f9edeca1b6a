// Checks a request to create or change a cron: its projects, its model, and the credentials of the
// workspace.

import type { Found } from "../access/queries.ts";
import type { Env } from "../env.ts";
import { catalog } from "../model/catalog.ts";
import { cronsPerWorkspace } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { findProjects, type NamedProject } from "./queries/crons.ts";
import { type CronProject, tooManyCrons } from "./rules/cron.ts";
import { noProvider } from "./rules/gate.ts";
import { checkCronModel } from "./rules/model.ts";

export interface CronFields {
  projectIds?: string[] | undefined;
  model?: string | null | undefined;
  timezone?: unknown;
}

/** The data that a request is checked against. */
export type CronPlace = Found<"workspace", "workspaceRecord" | "cronFacts">;

export interface CheckedCron {
  zone: string;
  /** The projects that the request names; null if it names none. */
  projects: Pick<CronProject, "projectId" | "name">[] | null;
}

/**
 * Checks the fields of a request. For a new cron (`isNew`), it also checks the number of crons in
 * the workspace.
 */
export async function checkCron(
  env: Pick<Env, "DB">,
  { workspace, workspaceRecord, cronFacts }: CronPlace,
  { projectIds, model, timezone }: CronFields,
  { isNew }: { isNew: boolean },
): Promise<CheckedCron | Refusal> {
  if (timezone !== undefined) {
    return refuse(
      "BAD_REQUEST",
      "A cron has no timezone of its own: it follows the Workspace Timezone, which an owner or admin sets.",
    );
  }
  const badModel = checkCronModel(model ?? null, { catalog, runnable: new Set(workspace.providers) });
  if (badModel) return badModel;
  const projects = await namedProjects(env, workspace.id, cronFacts.projects, projectIds ?? []);
  if (isRefusal(projects)) return projects;
  if (isNew) {
    if (workspace.providers.length === 0) {
      return refuse("BAD_REQUEST", noProvider);
    }
    if (cronFacts.crons >= cronsPerWorkspace) {
      return tooManyCrons;
    }
  }
  return { zone: workspaceRecord.timezone, projects: projectIds === undefined ? null : projects };
}

/**
 * The projects with these ids. Reads only the ones that are not among the known projects of the
 * workspace.
 */
async function namedProjects(
  { DB }: Pick<Env, "DB">,
  workspaceId: string,
  known: readonly NamedProject[],
  ids: readonly string[],
): Promise<(CheckedCron["projects"] & object) | Refusal> {
  const named = new Set(ids);
  const others = [...named].filter((id) => !known.some((project) => project.id === id));
  const read = others.length === 0 ? [] : await findProjects(DB, others);
  if (read.length < others.length)
    return refuse("NOT_FOUND", "projectIds names an unknown project. Use ids from GET /api/projects.");
  if (read.some((project) => project.workspaceId !== workspaceId)) {
    return refuse("BAD_REQUEST", "projectIds names a project of another workspace. Name projects of this one.");
  }
  const names = new Map([...known, ...read].map(({ id, name }) => [id, name]));
  return [...named].map((projectId) => ({ projectId, name: names.get(projectId) ?? "" }));
}
