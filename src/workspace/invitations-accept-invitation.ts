// Accepts an invitation by its token: the user becomes a member, and the invitation is over.

import type { User } from "../access/rules/membership.ts";
import type { Env } from "../env.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import type { SigningKeys } from "../signing.ts";
import { invitationOf } from "./invitations-invitation-token.ts";
import {
  acceptInvitation as accept,
  findInvitation,
  type InvitationFound,
  type InvitationName,
} from "./queries/invitations.ts";
import { invitationOver, mayAccept } from "./rules/invitation.ts";

export interface InvitationRead {
  name: InvitationName;
  found: InvitationFound;
}

/** Reads the invitation of a token for a user. NOT_FOUND for a token that is not ours or expired. */
export async function readInvitation(
  env: Pick<Env, "DB"> & SigningKeys,
  token: string,
  userId: string,
  now: number,
): Promise<InvitationRead | Refusal> {
  const name = await invitationOf(env, token, now);
  const found = name && (await findInvitation(env.DB, name, userId, now));
  return found ? { name, found } : invitationOver;
}

/** Answers the id of the workspace that the user is a member of from now on. */
export async function acceptInvitation(
  env: Pick<Env, "DB"> & SigningKeys,
  token: string,
  user: User,
  now: number,
): Promise<string | Refusal> {
  const read = await readInvitation(env, token, user.id, now);
  if (isRefusal(read)) return read;
  const refusal = mayAccept(read.found);
  if (refusal) return refusal;
  const isAccepted = await accept(env.DB, read.name, user.id, now);
  // Of two that accept at once, the second finds it used.
  return isAccepted ? read.name.workspaceId : invitationOver;
}
