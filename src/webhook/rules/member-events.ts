// The events of members, for webhooks. They have the ids of the Member Actions.
import type { RecordedEvent } from "../../activity/rules/activity.ts";
import type { WebhookEvent } from "./event.ts";

/** The event of a recorded change of members; null for any other. */
export function toMemberWebhookEvent(
  { id, kind, workspaceId, doer, payload }: RecordedEvent,
  at: number,
): WebhookEvent | null {
  const about = { id, at, workspaceId, projectId: null, by: doer, text: null };
  switch (kind) {
    case "member_invited":
      // The address was written by a person, and the invited person is not a member yet.
      return { ...about, type: "member.invited", data: { role: payload.role } };
    case "member_removed":
      return { ...about, type: "member.removed", data: { userId: payload.userId, isSelf: payload.self } };
    case "member_role_changed":
      return {
        ...about,
        type: "member.role_changed",
        data: { userId: payload.userId, from: payload.from, to: payload.to },
      };
    default:
      return null;
  }
}

/** The event of a person who joined. */
export function toJoinedEvent(
  id: string,
  { workspaceId, userId }: { workspaceId: string; userId: string },
  at: number,
): WebhookEvent {
  const by = { userId, source: null };
  return { id, type: "member.joined", at, workspaceId, projectId: null, data: { userId }, by, text: null };
}
