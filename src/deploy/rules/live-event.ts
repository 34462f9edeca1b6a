// Live events of the Deploy Chat, as its subscribers receive them.
import { changesOf as chatChangesOf, type LiveEvent, type OwnerEvent } from "../../chat/rules/live-event.ts";
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

export function deployEvent({ deploy }: Pick<ProjectState, "deploy">): DeployChanged {
  return { type: "deploy-changed", turnId: null, deploy: deploy && viewOf(deploy) };
}

function viewOf({ id, trigger, status, error, createdAt, startedAt, completedAt, sandboxKey }: Deploy): DeployView {
  return { id, trigger, status, error, createdAt, startedAt, completedAt, sandboxKey };
}

/** The events of a decision, in order. */
export function changesOf(before: ProjectState | null, after: ProjectState): LiveEvent[] {
  const owned = (state: ProjectState | null) => state && { chat: state.chat, owner: deployEvent(state) };
  return chatChangesOf(owned(before), owned(after));
}
