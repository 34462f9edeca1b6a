// Why none of a subscription's logins accepts a call: the subscription's owner, and what to do.
// Turns that end for this reason say so.
import type { LoginState } from "./login-order.ts";

export interface Subscription {
  providerName: string;
  /** The name of the owner; null for a deleted user. */
  person: string | null;
  /** False once the user has left the workspace. */
  isMember: boolean;
  logins: readonly LoginState[];
}

export interface SubscriptionTrouble {
  code: "subscription_limit_reached" | "subscription_needs_reauth" | "subscription_disconnected";
  message: string;
}

/** The trouble of a subscription, from the marks of its logins. */
export function getSubscriptionTrouble(
  { providerName, person, isMember, logins }: Subscription,
  now: number,
): SubscriptionTrouble {
  if (person === null || !isMember) {
    const name = person ?? "The user of this turn's subscription";
    const message = `${name} has left the workspace, so the ${providerName} subscription is no longer used here. Send the message again.`;
    return { code: "subscription_disconnected", message };
  }
  const subscription = `${person}'s ${providerName} subscription`;
  if (logins.length === 0) {
    const message = `${subscription} was disconnected. Send the message again: the session then runs on the workspace's credentials.`;
    return { code: "subscription_disconnected", message };
  }
  const resets = logins.flatMap(({ needsReauth, exhaustedUntil }) =>
    needsReauth || exhaustedUntil === null || exhaustedUntil <= now ? [] : [exhaustedUntil],
  );
  if (resets.length === 0) {
    const message = `${subscription} has to be connected again. ${person} can do that in their account settings.`;
    return { code: "subscription_needs_reauth", message };
  }
  return {
    code: "subscription_limit_reached",
    message:
      `${subscription} has reached its limit until ${formatTime(Math.min(...resets))}. ` +
      `Wait until then, choose another model, or have ${person} connect another login.`,
  };
}

/** To the minute, in UTC, for people. */
function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
