// What the triggers of a project lack at the code host.
import { findInstallation } from "../code-host/code-host.ts";
import type { Env } from "../env.ts";
import { findProject } from "../project/queries.ts";
import { isRefusal } from "../rules/refusal.ts";
import type { ProjectTriggers } from "./queries/triggers.ts";
import { listLacking } from "./rules/needs.ts";

const waitMs = 3_000;

/**
 * The triggers with what each of them lacks. What the code host does not say in time, and what a
 * token in place of the App may do, is unknown: then nothing is lacking.
 */
export async function withLacks(env: Env, projectId: string, { version, triggers }: ProjectTriggers) {
  const isOfHost = triggers.some(({ on }) => on !== "http");
  const project = isOfHost ? await findProject(env.DB, projectId) : null;
  const installed = project && (await findInstallation(env, project.repository, waitMs));
  const granted = isRefusal(installed) ? null : installed;
  const receivesEvents = Boolean(env.CODE_HOST_WEBHOOK_SECRET);
  return {
    version,
    triggers: triggers.map((trigger) => ({ ...trigger, lacks: listLacking(trigger, { granted, receivesEvents }) })),
  };
}
