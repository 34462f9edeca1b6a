// Invites an address to a workspace.

import { type Actor, userOf } from "../access/rules/actor.ts";
import { tellChange } from "../actions/workspace/tell-activity.ts";
import type { Env } from "../env.ts";
import { newId } from "../ids.ts";
import { invitationLifetimeMs } from "../rules/limits.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { membershipEventAt } from "./members-membership-event.ts";
import { addInvitation, type Invitation, inviteFacts } from "./queries/invitations.ts";
import { addressOf, mayInvite } from "./rules/invitation.ts";

/** Answers the invitation. An earlier one of the address is over from then on. */
export async function invite(
  env: Pick<Env, "DB" | "WORKSPACE_EVENTS">,
  { workspaceId, email, role, by }: Pick<Invitation, "workspaceId" | "email" | "role"> & { by: Actor },
  now: number,
): Promise<Invitation | Refusal> {
  const byUserId = userOf(by)?.id;
  if (byUserId === undefined) return refuse("FORBIDDEN");
  const invitation: Invitation = {
    id: newId(now),
    workspaceId,
    email: addressOf(email),
    role,
    createdAt: now,
    expiresAt: now + invitationLifetimeMs,
  };
  const event = membershipEventAt(workspaceId, { type: "invited", email: invitation.email, role }, by, now);
  if (await addInvitation(env.DB, invitation, { byUserId, event })) {
    tellChange(env, event);
    return invitation;
  }
  return (
    mayInvite(await inviteFacts(env.DB, invitation, now)) ??
    refuse("CONFLICT", "Somebody else changed the workspace meanwhile. Read it again, then decide.")
  );
}
