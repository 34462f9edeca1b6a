// The token of an invitation, which is needed to accept it. It is signed over the invitation and its workspace, and not stored.
import { type SigningKeys, sign, verify } from "../signing.ts";
import type { Invitation, InvitationName } from "./queries/invitations.ts";

/** The token of an invitation, which is the same each time. */
export function invitationToken(
  keys: SigningKeys,
  { id, workspaceId, expiresAt }: InvitationName & Pick<Invitation, "expiresAt">,
): Promise<string> {
  return sign(keys, "invitation", { id, workspaceId } satisfies InvitationName, expiresAt);
}

/** The invitation that a token names; null for a token that is not ours, or expired. */
export function invitationOf(keys: SigningKeys, token: string, now: number): Promise<InvitationName | null> {
  return verify<InvitationName>(keys, "invitation", token, now);
}
