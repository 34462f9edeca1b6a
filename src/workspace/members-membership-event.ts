// The event of a change of members, with the id that it is recorded with.

import type { Actor } from "../access/rules/actor.ts";
import { newId } from "../ids.ts";
import type { RecordedEvent } from "../rules/activity/activity.ts";
import { type MembershipChange, membershipEvent } from "./rules/member-events.ts";

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
