// The Deploy Chat: where its messages start, and the sentences of the service in it (Part 2,
// "Deploy Chat state").
import type { ProjectState } from "./project-state.ts";

/** A sentence of the service in the Deploy Chat. */
export interface SystemMessage {
  deployId: string;
  content: string;
  createdAt: number;
}

/** Adds a sentence of the service to the Deploy Chat. */
export function addServiceMessage(state: ProjectState, content: string, now: number): ProjectState {
  const { deploy, says } = state;
  if (deploy === null) return state;
  return { ...state, says: [...says, { deployId: deploy.id, content, createdAt: now }] };
}

/**
 * True if the Deploy Chat starts again: a member has started a Deploy. The messages of a Recovery
 * Deploy continue it.
 */
export function isChatStart(before: ProjectState | null, { deploy }: Pick<ProjectState, "deploy">): boolean {
  return deploy !== null && deploy.id !== before?.deploy?.id && deploy.trigger === "user";
}
