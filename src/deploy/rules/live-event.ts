// Live events of the Deploy Chat, as its subscribers receive them.
import { type LiveEvent, listChatChanges, type OwnerEvent } from "../../chat/rules/live-event.ts";
import type { Deploy, ProjectState } from "./project-state.ts";

/** A Deploy as its subscribers receive it. */
export type DeployView = Pick<
  Deploy,
  "id" | "trigger" | "status" | "error" | "createdAt" | "startedAt" | "completedAt" | "sandboxKey"
>;

export interface DeployChanged extends OwnerEvent {
  type: "deploy-changed";
  deploy: DeployView | null;
}

export function toDeployEvent({ deploy }: Pick<ProjectState, "deploy">): DeployChanged {
  return { type: "deploy-changed", turnId: null, deploy: deploy && toDeployView(deploy) };
}

function toDeployView({
  id,
  trigger,
  status,
  error,
  createdAt,
  startedAt,
  completedAt,
  sandboxKey,
}: Deploy): DeployView {
  return { id, trigger, status, error, createdAt, startedAt, completedAt, sandboxKey };
}

/** The events of a decision, in order. */
export function listDeployChanges(before: ProjectState | null, after: ProjectState): LiveEvent[] {
  const owned = (state: ProjectState | null) => state && { chat: state.chat, owner: toDeployEvent(state) };
  return listChatChanges(owned(before), owned(after));
}
