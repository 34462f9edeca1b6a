// Who may ask a trigger for something: members, and the accounts that its owner names. Anybody else
// gets no answer, so that nobody learns that there are triggers.
import type { Trigger } from "./trigger.ts";

/** An account at the code host that wrote or did something. */
export interface Sender {
  hostUserId: string;
  login: string;
  /** True for the account of a program. */
  isBot: boolean;
}

export interface AskerFacts {
  sender: Sender;
  /** The login that the service writes with. */
  ownLogin: string | null;
  /** The member who connected this account; null if none did. */
  userId: string | null;
  mayPush: boolean;
}

/** `other` is an account that is no member's. */
export type Asker = { kind: "member"; userId: string } | { kind: "other" };

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** True if it depends on the account's access whether it may ask. */
export function isAccessNeeded(
  { sender, ownLogin, userId }: Omit<AskerFacts, "mayPush">,
  who: Trigger["who"],
): boolean {
  if (sender.isBot || (ownLogin !== null && isSame(sender.login, ownLogin))) return false;
  return (who.members && userId !== null) || who.writers;
}

/** Decides who asks; null for an account that may not. */
export function findAsker(facts: AskerFacts, who: Trigger["who"]): Asker | null {
  const { sender, ownLogin, userId, mayPush } = facts;
  if (ownLogin !== null && isSame(sender.login, ownLogin)) return null;
  if (sender.isBot) return who.bots.some((login) => isSame(login, sender.login)) ? { kind: "other" } : null;
  if (!mayPush) return null;
  if (who.members && userId !== null) return { kind: "member", userId };
  return who.writers ? { kind: "other" } : null;
}
