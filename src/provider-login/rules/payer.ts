// Who pays for the model calls of a session (decisions, "Who pays"): a member, with their
// subscription at a provider, or the workspace.

import type { Actor, Author } from "../../access/rules/actor.ts";
import { type ProviderId, providerIds } from "../../model/rules/provider.ts";

export type Payer = { type: "workspace" } | { type: "member"; userId: string };

export const workspacePays: Payer = { type: "workspace" };

/** Whom a session is assigned to, and who filed it. */
export interface SessionParties {
  assignee: { kind: "member"; userId: string } | { kind: "service" } | null;
  filedBy: { kind: string } | null;
}

/** What decides the models of a member's turns in a workspace: their logins and default model. */
export interface MemberModels {
  userId: string;
  defaultModel: string | null;
  /**
   * The providers that the member has a login of. A provider is usable unless all of its logins
   * must be connected again.
   */
  providers: { provider: ProviderId; isUsable: boolean }[];
}

/**
 * The user whose subscriptions a session runs on; null if only the workspace pays. `sender` is who
 * sends to it now: an unassigned session becomes theirs.
 */
export function findSubscriber({ assignee, filedBy }: SessionParties, sender: Actor | null): string | null {
  // Nobody asked for what a trigger sends, so no member's subscription pays for it.
  if (filedBy?.kind === "relay" || sender?.type === "trigger") return null;
  return findPerson(assignee, sender);
}

/** The user whose subscriptions a turn runs on, by the author of its first message. */
export function findSubscriberOfTurn(parties: SessionParties, sender: Author): string | null {
  return sender.kind === "trigger" ? null : findSubscriber(parties, null);
}

/**
 * The member that a session is for, or becomes for by a send; null for the service and for an
 * unassigned session.
 */
export function findPerson(assignee: SessionParties["assignee"], sender: Actor | null): string | null {
  if (assignee !== null) return assignee.kind === "member" ? assignee.userId : null;
  return sender?.type === "member" || sender?.type === "lead" || sender?.type === "client-agent"
    ? sender.user.id
    : null;
}

/**
 * Who pays at one provider. A member who has any login of it pays, in whatever state: it never
 * falls back silently to the workspace's money. `holdsLogin` is false for somebody who has left the
 * workspace.
 */
export function toPayer(subscriber: string | null, holdsLogin: boolean): Payer {
  return subscriber !== null && holdsLogin ? { type: "member", userId: subscriber } : workspacePays;
}

/**
 * The providers that can be run: with a usable login of the subscriber, or, at a provider where
 * they have no login, with the workspace's.
 */
export function listRunnableProviders(
  subscriber: Pick<MemberModels, "providers"> | null,
  ofWorkspace: readonly ProviderId[],
): ReadonlySet<ProviderId> {
  const own = new Map(subscriber?.providers.map(({ provider, isUsable }) => [provider, isUsable]));
  return new Set(providerIds.filter((id) => own.get(id) ?? ofWorkspace.includes(id)));
}
