// When a Deploy delays the sessions of its project: from a member's start to the promotion, those
// without a running sandbox wait (decisions, "Deploys").
import { isLive, type ProjectState } from "./project-state.ts";
import { getDeployWork } from "./status.ts";

/**
 * True from a member's start to the promotion. A live project that waits for an answer delays no
 * session.
 */
export function isHoldingSessions(state: Pick<ProjectState, "deploy" | "liveSandboxKey">): boolean {
  const { deploy } = state;
  if (deploy === null || deploy.trigger !== "user" || deploy.isPromoted || deploy.isUpdate) return false;
  const work = getDeployWork(deploy.status);
  return work === "waiting" ? !isLive(state) : work !== "none";
}

/**
 * The facts of a project on which its sessions depend. Neither follows from the status of the
 * Deploy: an update of a live project delays no session.
 */
export interface ProjectLiveness {
  /**
   * True once a Deploy was promoted. A Deploy that fails or is stopped afterwards does not change
   * this.
   */
  isLive: boolean;
  /**
   * True from a member's start of a Deploy to its promotion. During that time, no sandbox of a
   * session is created.
   */
  holdsSessionsUp: boolean;
}
