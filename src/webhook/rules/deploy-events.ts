// The events of Deploys, for webhooks. They are found by comparing the project before and after a
// decision.
import type { Deploy, ProjectState } from "../../deploy/rules/project-state.ts";
import { getDeployWork } from "../../deploy/rules/status.ts";
import type { NewWebhookEvent, WebhookEvent } from "./event.ts";

/** The events of a decision on a project. */
export function listDeployWebhookEvents(
  before: ProjectState | null,
  after: ProjectState | null,
  now: number,
): NewWebhookEvent[] {
  const deploy = after?.deploy;
  if (!after || !deploy) return [];
  const { replacedDeploy, id: projectId, workspaceId } = after;
  const was = before?.deploy ?? null;
  const ended = was && replacedDeploy?.id === was.id && deploy.id !== was.id ? findChange(was, replacedDeploy) : [];
  const isSame = was?.id === deploy.id && was.startedAt === deploy.startedAt;
  const changes = [...ended, ...(isSame ? findChange(was, deploy) : findChange(null, deploy))];
  return changes.map(({ type, of }) => ({
    ...{ type, at: now, workspaceId, projectId, by: null },
    data: { deployId: of.id, deployNumber: of.number, trigger: of.trigger, status: of.status },
    text: of.error === null ? {} : { error: of.error },
  }));
}

/** The event of a Deploy that was in another state before; `was` is null for one that starts. */
function findChange(was: Deploy | null, is: Deploy): { type: WebhookEvent["type"]; of: Deploy }[] {
  const started = was === null ? [{ type: "deploy.started" as const, of: is }] : [];
  const kind = toType(is);
  return kind === null || (was !== null && kind === toType(was)) ? started : [...started, { type: kind, of: is }];
}

function toType({ status }: Deploy): WebhookEvent["type"] | null {
  if (status === "failed") return "deploy.failed";
  if (status === "cancelled") return "deploy.cancelled";
  const work = getDeployWork(status);
  if (work === "waiting") return "deploy.awaiting_user";
  return work === "none" ? "deploy.completed" : null;
}
