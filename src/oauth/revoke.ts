// Ends what a person connected over MCP, by one of its tokens.
import type { Env } from "../env.ts";
import { endStreams } from "../workspace/end-streams.ts";
import { listWorkspaces } from "../workspace/queries/workspaces.ts";
import { type Revoked, revokeToken } from "./queries.ts";

type RevokingEnv = Pick<Env, "DB" | "WORKSPACE_EVENTS" | "JURISDICTION">;

/** Ends the streams that were opened with a key. */
export async function endAgentStreams(env: RevokingEnv, { keyId, userId }: Revoked): Promise<void> {
  for (const { id } of await listWorkspaces(env.DB, userId)) endStreams(env, id, { keyId });
}

/** Revokes the key of an access token or a refresh token. Null for an unknown token. */
export async function revokeAgentToken(env: RevokingEnv, token: string): Promise<Revoked | null> {
  const revoked = await revokeToken(env.DB, token);
  if (revoked !== null) await endAgentStreams(env, revoked);
  return revoked;
}
