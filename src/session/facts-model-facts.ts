// The facts that the choice of a turn's model depends on: what its session's payer and its workspace can run, and their defaults.

import type { SessionFound, WorkspaceFound } from "../access/queries.ts";
import type { Actor } from "../access/rules/actor.ts";
import type { TurnModelFacts } from "../model/rules/choice.ts";
import {
  type Booking,
  type MemberMeans,
  personOf,
  runnableProviders,
  subscriberOf,
} from "../provider-login/rules/payer.ts";

/** The facts for a session with this booking. `means` are those of the members whom it may be for. */
export function modelFacts(
  workspace: WorkspaceFound,
  booking: Booking,
  by: Actor,
  means: readonly (MemberMeans | null)[],
): TurnModelFacts {
  const meansOf = (userId: string | null) => means.find((one) => one !== null && one.userId === userId) ?? null;
  const subscriber = meansOf(subscriberOf(booking, by));
  return {
    runnable: runnableProviders(subscriber, workspace.providers),
    subscribed: new Set(subscriber?.providers.map(({ provider }) => provider)),
    assigneeDefaultModel: meansOf(personOf(booking.assignee, by))?.defaultModel ?? null,
    workspaceDefaultModel: workspace.defaultModel,
  };
}

/** For whom a session works, as lists show it. */
export function bookingOf({ assigneeKind, assigneeId, filedByKind }: SessionFound): Booking {
  const member = assigneeId === null ? null : ({ kind: "member", userId: assigneeId } as const);
  return {
    assignee: assigneeKind === "service" ? { kind: "service" } : member,
    filedBy: filedByKind === null ? null : { kind: filedByKind },
  };
}
