// Revokes a key of a user: an API key, or a browser session that signs out.

import { endStreams } from "../actions/workspace/end-streams.ts";
import type { Env } from "../env.ts";
import { workspacesOf } from "../storage/queries/workspaces.ts";
import { revokeUserKey } from "./queries.ts";

/** Revokes a key and ends the streams that were opened with it. False if the user has no such key. */
export async function revokeKey(
  env: Pick<Env, "DB" | "WORKSPACE_EVENTS">,
  { kind, userId, keyId }: { kind: "browser" | "api-key"; userId: string; keyId: string },
): Promise<boolean> {
  if (!(await revokeUserKey(env.DB, kind, userId, keyId))) return false;
  for (const { id } of await workspacesOf(env.DB, userId, null)) endStreams(env, id, { keyId });
  return true;
}
