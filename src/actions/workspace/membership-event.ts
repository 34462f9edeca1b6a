// The event of a change of members, with the id that it is recorded with.
import { newId } from "../../ids.ts";
import type { Actor } from "../../rules/access/actor.ts";
import type { RecordedEvent } from "../../rules/activity/activity.ts";
import { type MembershipChange, membershipEvent } from "../../rules/workspace/events.ts";

/** Null for an actor without a member. */
export function membershipEventAt(
  workspaceId: string,
  change: MembershipChange,
  by: Actor,
  now: number,
): RecordedEvent | null {
  const event = membershipEvent(workspaceId, change, by);
  return event && { ...event, id: newId(now) };
}
