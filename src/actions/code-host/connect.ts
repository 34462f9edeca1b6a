// Connecting somebody with their account at the code host: who is signed in gets it linked, who is not is signed in by it, and who was never
// here becomes a user.
import {
  type HostPerson,
  type PersonTokens,
  refreshPersonTokens,
  revokePerson,
  signInClient,
} from "../../code-host/sign-in.ts";
import type { Env } from "../../env.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import {
  findIdentity,
  forgetIdentity,
  type IdentityRow,
  keepIdentity,
  userOfIdentity,
} from "../../storage/queries/code-host-identities.ts";
import { makeUser, userWithEmail } from "../../storage/queries/users.ts";
import { seal, unseal } from "../../storage/sealing.ts";

const taken = refuse(
  "CONFLICT",
  "This account of the code host is connected to another user. Disconnect it there first, or sign in with it.",
);

/** Links the account to the user who is signed in, or finds or makes the user whose account it is. Answers the user's id. */
export async function connectCodeHost(
  env: Env,
  { person, tokens, signedInAs }: { person: HostPerson; tokens: PersonTokens; signedInAs: string | null },
  now: number,
): Promise<string | Refusal> {
  const holder = await userOfIdentity(env.DB, person.id);
  if (signedInAs !== null && holder !== null && holder !== signedInAs) return taken;
  const userId = signedInAs ?? holder ?? (await userFor(env, person, now));
  const row: IdentityRow = {
    userId,
    hostUserId: person.id,
    login: person.login,
    name: person.name,
    email: person.commitEmail,
    sealed: await seal(env.SEALING_KEYS, identityOf(userId), JSON.stringify(tokens)),
    expiresAt: tokens.expiresAt,
    createdAt: now,
  };
  return (await keepIdentity(env.DB, row)) ? userId : taken;
}

/** The user who has the address that the code host verified, unless they have another account there; else a new one. */
async function userFor(env: Env, person: HostPerson, now: number): Promise<string> {
  const { email, name, imageUrl, commitEmail } = person;
  const known = email === null ? null : await userWithEmail(env.DB, email);
  if (known !== null && (await findIdentity(env.DB, known)) === null) return known;
  return await makeUser(env.DB, { name, imageUrl, email: known === null ? (email ?? commitEmail) : commitEmail }, now);
}

/** Forgets the account of a user, and tells the code host, as far as it can be reached. */
export async function disconnectCodeHost(env: Env, userId: string, now: number): Promise<void> {
  const found = await findIdentity(env.DB, userId);
  if (!found) return;
  await forgetIdentity(env.DB, userId);
  const client = signInClient(env);
  if (isRefusal(client)) return;
  const text = await unseal(env.SEALING_KEYS, identityOf(userId), found.sealed).catch(() => null);
  if (text === null) return;
  const tokens: PersonTokens = JSON.parse(text);
  const hasExpired = tokens.expiresAt !== null && tokens.expiresAt <= now;
  const fresh =
    hasExpired && tokens.refreshToken !== null ? await refreshPersonTokens(client, tokens.refreshToken) : tokens;
  if (!isRefusal(fresh)) await revokePerson(client, fresh.accessToken);
}

function identityOf(userId: string): string {
  return `code-host-identity:${userId}`;
}
