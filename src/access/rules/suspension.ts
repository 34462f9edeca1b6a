// Suspension: an operator bars a person or a workspace, and nothing of theirs is deleted
// (decisions, "Suspension").
import { type Refusal, refuse } from "../../rules/refusal.ts";

const suspendedPerson = refuse(
  "FORBIDDEN",
  "Your account is suspended. Nothing of yours is deleted. Contact the operator of this service.",
);

export const suspendedWorkspace = refuse(
  "FORBIDDEN",
  "This workspace is suspended. Nothing in it is deleted. Contact the operator of this service.",
);

export interface SuspensionFacts {
  /** When the key's user was suspended; null if they are not, or for a key without a user. */
  userSuspendedAt: number | null;
  /** When the workspace of the request, or the only one of the key, was suspended. */
  workspaceSuspendedAt: number | null;
}

/** Refuses a caller who is suspended, or who acts in a suspended workspace. */
export function checkSuspension({ userSuspendedAt, workspaceSuspendedAt }: SuspensionFacts): Refusal | null {
  if (userSuspendedAt !== null) return suspendedPerson;
  return workspaceSuspendedAt === null ? null : suspendedWorkspace;
}
