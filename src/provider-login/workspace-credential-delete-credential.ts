// Takes a workspace's credential at a provider away. The turns on it end at their next model call.
import type { Env } from "../env.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { revokeBehindAnswer } from "./connect/revoke.ts";
import { tellTurnsOfPayer } from "./invalidate-payer.ts";
import { deleteCredential } from "./queries/logins.ts";
import { workspaceLogin } from "./rules/login.ts";

/** Idempotent. */
export async function deleteWorkspaceCredential(env: Env, workspaceId: string, provider: ProviderId): Promise<void> {
  await deleteCredential(env.DB, workspaceLogin(workspaceId, provider));
  await tellTurnsOfPayer(env, workspaceId);
  revokeBehindAnswer(env);
}
