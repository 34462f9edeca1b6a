// Whether a person can be deleted who owns workspaces. A workspace always has exactly one owner.
import { type Refusal, refuse } from "../../rules/refusal.ts";

interface Membership {
  workspaceId: string;
  slug: string;
  isOwner: boolean;
  /** How many other members the workspace has. */
  others: number;
}

/**
 * Refuses while others belong to a workspace of the person, who must get another owner first. A
 * workspace without others is deleted with its owner, if the operator says so.
 */
export function checkOwnedWorkspaces(memberships: readonly Membership[], withWorkspaces: boolean): Refusal | null {
  const owned = memberships.filter(({ isOwner }) => isOwner);
  const shared = owned.filter(({ others }) => others > 0);
  if (shared.length > 0)
    return refuse(
      "CONFLICT",
      `The person owns workspaces with other members: ${list(shared)}. Each needs another owner first: the owner sends POST ` +
        "/api/organizations/{id}/transfer-ownership with the userId of a member. If the owner cannot, send it with a key from: " +
        "npm run operator -- key LOGIN NAME",
    );
  if (owned.length > 0 && !withWorkspaces)
    return refuse(
      "CONFLICT",
      `The person owns workspaces without other members: ${list(owned)}. To delete these workspaces too, add --with-workspaces.`,
    );
  return null;
}

const list = (workspaces: readonly Membership[]) =>
  workspaces.map(({ slug, workspaceId }) => `${slug} (${workspaceId})`).join(", ");
