// Disconnects a user's logins. When the last login of a provider is disconnected, the turns that it
// pays for end.
import { getTurnOwnerObject } from "../../durable-objects/address.ts";
import type { User } from "../access/rules/membership.ts";
import type { Env } from "../env.ts";
import { runInLanes } from "../lib/concurrency.ts";
import { log } from "../lib/log.ts";
import { providers } from "../model/providers.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { listOwnersPaidBy } from "../session/queries/index.ts";
import { revokeAfterResponse } from "./connect/revoke.ts";
import { disconnectLogin, disconnectProvider } from "./queries/subscriptions.ts";
import { getSubscriptionTrouble } from "./rules/trouble.ts";

const ownersAtOnce = 50;

/** Disconnects one login. Turns continue with the next one, if there is one. */
export async function disconnectOne(
  env: Env,
  user: User,
  { provider, loginId }: { provider: ProviderId; loginId: string },
): Promise<Refusal | null> {
  const name = { owner: { type: "member", id: user.id }, provider, id: loginId } as const;
  const disconnected = await disconnectLogin(env.DB, name);
  if (disconnected === null) return refuse("NOT_FOUND", "You have no such login at this provider.");
  revokeAfterResponse(env);
  if (disconnected.left === 0) await endTurns(env, user, provider);
  return null;
}

/** Disconnects every login of a provider. False if there was none. */
export async function disconnectAll(env: Env, user: User, provider: ProviderId): Promise<boolean> {
  const isChanged = await disconnectProvider(env.DB, user.id, provider);
  revokeAfterResponse(env);
  // Also without a login, because the request that disconnected the last one may have failed here.
  await endTurns(env, user, provider);
  return isChanged;
}

/**
 * Ends the turns on a subscription. A turn that is missed ends at its next model call, which finds
 * no login.
 */
async function endTurns(env: Env, { id: userId, name: person }: User, provider: ProviderId): Promise<void> {
  const { message } = getSubscriptionTrouble(
    { providerName: providers[provider].name, person, isMember: true, logins: [] },
    Date.now(),
  );
  const gone = { userId, provider, error: message };
  const owners = await listOwnersPaidBy(env.DB, userId);
  await runInLanes(
    owners,
    ownersAtOnce,
    (owner) => getTurnOwnerObject(env, owner).endDisconnected(gone),
    ({ type, id }, error) => log.error("turn.disconnect_failed", { object: type, objectId: id, error }),
  );
}
