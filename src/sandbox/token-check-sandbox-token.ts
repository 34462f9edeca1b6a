// Checks sandbox tokens. A turn token is accepted while its turn is live; a task token while its sandbox, owner and member exist.
import { sandboxObject, turnOwnerObject } from "../../durable-objects/address.ts";
import type { ProductToolName } from "../chat/rules/agent-profile.ts";
import type { Env } from "../env.ts";
import type { Refusal } from "../rules/refusal.ts";
import { findMember } from "../workspace/queries/members.ts";
import { isTurnToken, readToken, type SandboxToken, type TurnToken } from "./token.ts";

/** Returns the turn token of a call. Returns an error response if it is missing, its turn is over, or its turn does not have the tool. */
export async function liveTurn(
  request: Request,
  env: Env,
  tool: ProductToolName | null = null,
): Promise<TurnToken | Response> {
  const token = await readToken(env, request.headers, Date.now());
  if (!isTurnToken(token)) return new Response("no valid token", { status: 401 });
  const { owner, turnId, generation } = token;
  const object = turnOwnerObject(env, owner);
  if (tool !== null) {
    const refusal = (await object.checkTool({ turnId, generation }, tool)) as Refusal | null;
    return refusal === null ? token : new Response(refusal.message, { status: 403 });
  }
  const isLive = await object.isTurnLive({ turnId, generation });
  return isLive ? token : new Response("this turn is over", { status: 403 });
}

/** True while the turn is live. For a task token: while its sandbox runs, its owner is not deleted, and its member is in the workspace. */
export async function isTokenAlive(
  env: Pick<Env, "DB" | "SANDBOX" | "SESSION" | "PROJECT" | "CRON_RUN">,
  { turnId, owner, generation, sandboxKey, workspaceId, memberId }: SandboxToken,
): Promise<boolean> {
  if (turnId !== null) return owner !== null && (await turnOwnerObject(env, owner).isTurnLive({ turnId, generation }));
  const checks = await Promise.all([
    sandboxObject(env, sandboxKey).isGenerationAlive(generation),
    owner === null || turnOwnerObject(env, owner).isOpen(),
    memberId === undefined || findMember(env.DB, workspaceId, memberId),
  ]);
  return checks.every(Boolean);
}
