// The Assignee that a request names by a user id: a member of the workspace.
import type { Env } from "../env.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { findMember } from "../workspace/queries/members.ts";
import type { Assignee } from "./rules/session.ts";

/** Returns null for nobody, and undefined for a request without an Assignee. BAD_REQUEST for a user who is not a member. */
export async function assigneeNamed(
  env: Env,
  workspaceId: string,
  userId: string | null | undefined,
): Promise<Assignee | null | undefined | Refusal> {
  if (userId === null || userId === undefined) return userId;
  const member = await findMember(env.DB, workspaceId, userId);
  if (member) return { kind: "member", userId, name: member.name, imageUrl: member.imageUrl };
  return refuse("BAD_REQUEST", "assigneeId is not a member of this workspace. Take one from its members.");
}
