// Whether a session can have a preview (Part 1, "Errors").
import type { ProjectLiveness } from "../../deploy/rules/held-sessions.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";

/**
 * Refuses the preview of a session whose project was never deployed or is being deployed:
 * BAD_REQUEST.
 */
export function checkPreviewable({ isLive, holdsSessionsUp }: ProjectLiveness): Refusal | null {
  if (holdsSessionsUp) {
    return refuse("BAD_REQUEST", "The project is being deployed. Ask for the preview again when that is done.");
  }
  if (isLive) return null;
  return refuse("BAD_REQUEST", "The project has to be deployed before its sessions can have a preview.");
}
