// The deletion of a workspace: only its owner may delete it, and sends its exact name, so that
// nobody deletes a workspace by mistake. The statement that deletes it checks both
// (`startWorkspaceDeletion`); this rule says why it deleted nothing.
import { type Refusal, refuse, refuseField } from "../../rules/refusal.ts";

/** Refuses a deletion that the database did not make. The workspace is null if there is none. */
export function refuseDeletion(workspace: { name: string } | null, name: string): Refusal {
  if (!workspace) return refuse("NOT_FOUND", "There is no such workspace.");
  if (workspace.name !== name) return refuseField("name", "must be the workspace's own name, letter by letter");
  return refuse("FORBIDDEN", "Only the owner may do this.");
}
