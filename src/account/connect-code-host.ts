// Connects an account at the code host with a user: links it to the signed-in user, finds the user
// it belongs to, or creates one.

import type { Env } from "../env.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { isInvited } from "../workspace/queries/invitations.ts";
import { toAddress } from "../workspace/rules/invitation.ts";
import { type HostUser, readOrganizations, revokeGrant, signInClient, type UserTokens } from "./code-host-sign-in.ts";
import {
  createUser,
  deleteIdentity,
  findIdentity,
  findUserByEmail,
  findUserByIdentity,
  type IdentityRow,
  saveIdentity,
  updateSealedTokens,
} from "./queries.ts";
import { maySignUp, maySignUpBy, readSignUp, refuseSignUp } from "./rules/sign-up.ts";
import { createUserCredential, readTokens, sealTokens } from "./user-credential.ts";

const taken = refuse(
  "CONFLICT",
  "This account of the code host is connected to another user. Disconnect it there first, or sign in with it.",
);

/**
 * Returns the id of the user to whom the account now belongs. CONFLICT if it belongs to a user
 * other than the signed-in one. FORBIDDEN if it belongs to nobody and its holder may not sign up.
 */
export async function connectCodeHost(
  env: Env,
  { hostUser, tokens, signedInAs }: { hostUser: HostUser; tokens: UserTokens; signedInAs: string | null },
  now: number,
): Promise<string | Refusal> {
  const holder = await findUserByIdentity(env.DB, hostUser.id);
  if (signedInAs !== null && holder !== null && holder !== signedInAs) return taken;
  const userId = signedInAs ?? holder ?? (await userFor(env, { hostUser, tokens }, now));
  if (isRefusal(userId)) return userId;
  const row: IdentityRow = {
    userId,
    hostUserId: hostUser.id,
    login: hostUser.login,
    name: hostUser.name,
    email: hostUser.commitEmail,
    sealed: await sealTokens(env, userId, tokens),
    expiresAt: tokens.expiresAt,
    createdAt: now,
  };
  return (await saveIdentity(env.DB, row)) ? userId : taken;
}

/**
 * Finds the user with the verified address, unless that user has another account at the code host.
 * Otherwise creates a user, if sign-up is allowed.
 */
async function userFor(
  env: Env,
  { hostUser, tokens }: { hostUser: HostUser; tokens: UserTokens },
  now: number,
): Promise<string | Refusal> {
  const { email, name, imageUrl, commitEmail } = hostUser;
  const known = email === null ? null : await findUserByEmail(env.DB, email);
  if (known !== null && (await findIdentity(env.DB, known)) === null) return known;
  const refusal = await checkSignUp(env, { hostUser, tokens }, now);
  if (refusal) return refusal;
  return await createUser(
    env.DB,
    { name, imageUrl, email: known === null ? (email ?? commitEmail) : commitEmail },
    now,
  );
}

async function checkSignUp(
  env: Env,
  { hostUser, tokens }: { hostUser: HostUser; tokens: UserTokens },
  now: number,
): Promise<Refusal | null> {
  const signUp = readSignUp(env.SIGN_UP);
  const { login, email } = hostUser;
  if (maySignUp(signUp, login)) return null;
  if (email !== null && (await isInvited(env.DB, toAddress(email), now))) return null;
  const client = signInClient(env);
  if (signUp.organizations.size === 0 || isRefusal(client)) return refuseSignUp(login);
  const organizations = await readOrganizations(client, tokens.accessToken);
  if (isRefusal(organizations)) return organizations;
  return maySignUpBy(signUp, organizations) ? null : refuseSignUp(login);
}

/**
 * Deletes the connection of a user, and revokes the grant if the code host can be reached. False if
 * there is none.
 */
export async function disconnectCodeHost(env: Env, userId: string): Promise<boolean> {
  const found = await findIdentity(env.DB, userId);
  if (!found) return false;
  await deleteIdentity(env.DB, userId);
  await revokeConnection(env, found);
  return true;
}

/** Revokes the grant of a connection that is deleted, if the code host can be reached. */
export async function revokeConnection(env: Env, found: IdentityRow): Promise<void> {
  const client = signInClient(env);
  if (isRefusal(client)) return;
  const token = await createUserCredential(env, client, found)();
  if (!isRefusal(token)) await revokeGrant(client, token);
}

/**
 * Seals a user's tokens again, with the first key. Does nothing if they were deleted or replaced
 * meanwhile.
 */
export async function resealIdentity(env: Env, userId: string): Promise<void> {
  const found = await findIdentity(env.DB, userId);
  if (!found) return;
  const sealed = await sealTokens(env, userId, await readTokens(env, found));
  await updateSealedTokens(env.DB, { userId, from: found.sealed, to: sealed });
}
