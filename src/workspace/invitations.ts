// Invites an email address to a workspace.
import { type Actor, findUser } from "../access/rules/actor.ts";
import type { User } from "../access/rules/membership.ts";
import type { Env } from "../env.ts";
import { createId } from "../lib/ids.ts";
import { type SigningKeys, sign, verify } from "../lib/signing.ts";
import { invitationLifetimeMs } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { publishMemberEvent, sendSavedLater } from "../webhook/member-events.ts";
import { toJoinedEvent } from "../webhook/rules/member-events.ts";
import type { WebhooksEnv } from "../webhook/send.ts";
import { toMembershipEventAt } from "./members.ts";
import { publishMembersChanged } from "./publish-event.ts";
import {
  acceptInvitation as accept,
  addInvitation,
  findInvitation,
  type Invitation,
  type InvitationFound,
  type InvitationName,
  readInviteFacts,
} from "./queries/invitations.ts";
import { checkAcceptance, checkInvitation, invitationOver, toAddress } from "./rules/invitation.ts";

/** Returns the invitation. It replaces an earlier one of the address. */
export async function createInvitation(
  env: WebhooksEnv & Pick<Env, "WORKSPACE_EVENTS">,
  { workspaceId, email, role, by }: Pick<Invitation, "workspaceId" | "email" | "role"> & { by: Actor },
  now: number,
): Promise<Invitation | Refusal> {
  const byUserId = findUser(by)?.id;
  if (byUserId === undefined) return refuse("FORBIDDEN");
  const invitation: Invitation = {
    id: createId(now),
    workspaceId,
    email: toAddress(email),
    role,
    createdBy: byUserId,
    createdAt: now,
    expiresAt: now + invitationLifetimeMs,
  };
  const event = toMembershipEventAt(workspaceId, { type: "invited", email: invitation.email, role }, by, now);
  if (await addInvitation(env.DB, invitation, event)) {
    publishMemberEvent(env, event);
    publishMembersChanged(env, workspaceId);
    return invitation;
  }
  return (
    checkInvitation(await readInviteFacts(env.DB, invitation, now)) ??
    refuse("CONFLICT", "Somebody else changed the workspace meanwhile. Read it again, then decide.")
  );
}

export interface InvitationRead {
  name: InvitationName;
  found: InvitationFound;
}

/**
 * Reads the invitation of a token for a user. NOT_FOUND for a token that is not ours or has
 * expired.
 */
export async function readInvitation(
  env: Pick<Env, "DB"> & SigningKeys,
  token: string,
  userId: string,
  now: number,
): Promise<InvitationRead | Refusal> {
  const name = await parseInvitationToken(env, token, now);
  const found = name && (await findInvitation(env.DB, name, userId, now));
  return found ? { name, found } : invitationOver;
}

/** Returns the id of the workspace that the user is now a member of. */
export async function acceptInvitation(
  env: WebhooksEnv & SigningKeys & Pick<Env, "WORKSPACE_EVENTS">,
  token: string,
  user: User,
  now: number,
): Promise<string | Refusal> {
  const read = await readInvitation(env, token, user.id, now);
  if (isRefusal(read)) return read;
  const refusal = checkAcceptance(read.found);
  if (refusal) return refusal;
  const { workspaceId } = read.name;
  const joining = toJoinedEvent(createId(now), { workspaceId, userId: user.id }, now);
  // If two accept concurrently, the second finds it used.
  if (!(await accept(env.DB, read.name, { userId: user.id, joining }, now))) return invitationOver;
  sendSavedLater(env, joining.id);
  publishMembersChanged(env, workspaceId);
  return workspaceId;
}

/**
 * The token that is needed to accept an invitation. It is signed over the invitation and its
 * workspace, and not stored, so it is the same each time.
 */
export function createInvitationToken(
  keys: SigningKeys,
  { id, workspaceId, expiresAt }: InvitationName & Pick<Invitation, "expiresAt">,
): Promise<string> {
  return sign(keys, "invitation", { id, workspaceId } satisfies InvitationName, expiresAt);
}

/** The invitation that a token names; null for a token that is not ours or has expired. */
export function parseInvitationToken(keys: SigningKeys, token: string, now: number): Promise<InvitationName | null> {
  return verify<InvitationName>(keys, "invitation", token, now);
}
