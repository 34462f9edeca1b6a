// Who pays for the model calls of a session (decisions, "Who pays"): a member, on the subscription
// at a provider, or the workspace.

import type { Actor } from "../../access/rules/actor.ts";
import { type ProviderId, providerIds } from "../../model/rules/provider.ts";

export type Payer = { type: "workspace" } | { type: "member"; userId: string };

export const workspacePays: Payer = { type: "workspace" };

/** For whom a session works. */
export interface Booking {
  assignee: { kind: "member"; userId: string } | { kind: "service" } | null;
  filedBy: { kind: string } | null;
}

/** What a member of the workspace has at the providers. */
export interface MemberMeans {
  userId: string;
  defaultModel: string | null;
  /**
   * The providers that the member holds a login of. It is usable unless all of its logins have to
   * be connected again.
   */
  providers: { provider: ProviderId; isUsable: boolean }[];
}

/**
 * Whose subscriptions a session runs on; null for the workspace alone. `sender` is who sends to it
 * now: an unassigned session becomes theirs.
 */
export function subscriberOf({ assignee, filedBy }: Booking, sender: Actor | null): string | null {
  if (filedBy?.kind === "relay") return null;
  return personOf(assignee, sender);
}

/**
 * The member that a session is for, or becomes for by a send; null for the service and for nobody.
 */
export function personOf(assignee: Booking["assignee"], sender: Actor | null): string | null {
  if (assignee !== null) return assignee.kind === "member" ? assignee.userId : null;
  return sender?.type === "member" || sender?.type === "lead" ? sender.user.id : null;
}

/**
 * Who pays at one provider. A member who holds any login of it pays, whatever the login's state: it
 * is never left for the workspace's money without a word. `holdsLogin` is false for somebody who
 * has left the workspace.
 */
export function payerAt(subscriber: string | null, holdsLogin: boolean): Payer {
  return subscriber !== null && holdsLogin ? { type: "member", userId: subscriber } : workspacePays;
}

/**
 * The providers that can be run: on a usable login of the subscriber, else, at a provider that they
 * hold no login of, on the workspace's.
 */
export function runnableProviders(
  subscriber: Pick<MemberMeans, "providers"> | null,
  ofWorkspace: readonly ProviderId[],
): ReadonlySet<ProviderId> {
  const own = new Map(subscriber?.providers.map(({ provider, isUsable }) => [provider, isUsable]));
  return new Set(providerIds.filter((id) => own.get(id) ?? ofWorkspace.includes(id)));
}
