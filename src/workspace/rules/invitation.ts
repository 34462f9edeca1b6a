// Invitations to a workspace: who can be invited, and who can accept. An invitation is for one
// email address, and each address has at most one: a new one replaces it (`addInvitation` in
// `queries/invitations.ts`). The database makes each change in one statement that checks this
// again; these rules say why a change is refused. An invitation expires after
// `invitationLifetimeMs`.
import { openInvitationsMax } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";

/** The form of an address for comparison, because people write theirs in any case. */
export function toAddress(email: string): string {
  return email.trim().toLowerCase();
}

export interface InviteFacts {
  /** True if a member has the address. */
  isMember: boolean;
  /** The number of open invitations of the workspace, without one for the same address. */
  otherOpenInvitations: number;
}

/** Refuses an invitation. */
export function checkInvitation({ isMember, otherOpenInvitations }: InviteFacts): Refusal | null {
  if (isMember) return refuse("CONFLICT", "A member of the workspace has this address already.");
  if (otherOpenInvitations < openInvitationsMax) return null;
  return refuse(
    "BAD_REQUEST",
    `The workspace has ${openInvitationsMax} open invitations. Delete one that is not needed.`,
  );
}

export interface AcceptFacts {
  /** The invited address; null if the invitation was deleted, replaced or used, or has expired. */
  address: string | null;
  /** The email address of the user who accepts. */
  email: string;
  isMember: boolean;
}

/** The refusal of every token without an open invitation, for any reason. */
export const invitationOver = refuse(
  "NOT_FOUND",
  "This invitation no longer exists. Ask an admin of the workspace for a new one.",
);

/**
 * Refuses to accept an invitation. The message shows no address, because anybody may have the
 * token.
 */
export function checkAcceptance({ address, email, isMember }: AcceptFacts): Refusal | null {
  if (address === null) return invitationOver;
  if (address !== toAddress(email))
    return refuse("FORBIDDEN", "This invitation is for another address. Sign in as the user whom it was sent to.");
  return isMember ? refuse("CONFLICT", "You are a member of the workspace already.") : null;
}
