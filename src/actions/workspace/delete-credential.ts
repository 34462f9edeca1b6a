// Takes a workspace's credential at a provider away. The turns on it end at their next model call.
import type { Env } from "../../env.ts";
import type { ProviderId } from "../../model/rules/provider.ts";
import { workspaceLogin } from "../../rules/model/login.ts";
import { deleteCredential } from "../../storage/queries/logins.ts";
import { revokeBehindAnswer } from "../sign-in/revoke.ts";
import { tellTurnsOfPayer } from "./tell-turns-of-payer.ts";

/** Idempotent. */
export async function deleteWorkspaceCredential(env: Env, workspaceId: string, provider: ProviderId): Promise<void> {
  await deleteCredential(env.DB, workspaceLogin(workspaceId, provider));
  await tellTurnsOfPayer(env, workspaceId);
  revokeBehindAnswer(env);
}
