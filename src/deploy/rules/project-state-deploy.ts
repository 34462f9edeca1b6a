// The Deploy of a project's main sandbox, as far as sessions depend on it: whether the project is live, and whether it holds sessions up.
import { type Refusal, refuse } from "../../rules/refusal.ts";

/** The facts of a project that its sessions go by. The status of the Deploy decides neither: an update of a live project holds nobody up. */
export interface ProjectLiveness {
  /** A Deploy was promoted. A Deploy that fails or is stopped afterwards changes nothing about it. */
  isLive: boolean;
  /** From a member's start of a Deploy to its promotion, no sandbox of a session is created. */
  holdsSessionsUp: boolean;
}

/** Refuses the preview of a session whose project was never deployed, or is being deployed (Part 1, "Errors": BAD_REQUEST). */
export function checkPreviewable({ isLive, holdsSessionsUp }: ProjectLiveness): Refusal | null {
  if (holdsSessionsUp) {
    return refuse("BAD_REQUEST", "The project is being deployed. Ask for the preview again when that is done.");
  }
  if (isLive) return null;
  return refuse("BAD_REQUEST", "The project has to be deployed before its sessions can have a preview.");
}
