// The token of a sandbox: its credential for the service. A turn token is for one turn, a task
// token for one task between turns, both for one generation of the sandbox. Both give access only
// to the service's endpoints for sandboxes, under `/internal`.

import { getSandboxObject, getTurnOwnerObject } from "../../durable-objects/address.ts";
import type { GitAccess, ProductToolName } from "../chat/rules/agent-profile.ts";
import type { TurnOwner } from "../chat/rules/chat.ts";
import type { Env } from "../env.ts";
import { type SigningKeys, sign, verify } from "../lib/signing.ts";
import type { ModelGrant } from "../model/rules/grant.ts";
import type { Payer } from "../provider-login/rules/payer.ts";
import { findMember } from "../workspace/queries/members.ts";

export interface SandboxToken {
  workspaceId: string;
  projectId: string;
  sandboxKey: string;
  generation: number;
  /** The owner of the turn or task. Null on a task token of a sandbox without an owner. */
  owner: TurnOwner | null;
  /** What the git gateway permits. */
  git: GitAccess;
  /** The only branch that it may push: its owner's. */
  branch: string;
  /** Null on a task token, such as for a clone or a member's push. A task makes no model calls. */
  turnId: string | null;
  /** The member who pushes, on the task token of a member's push. */
  memberId?: string;
  /** The model that the turn or the compaction may call. A task token may not call any. */
  model?: ModelGrant;
  /** Who pays for these calls. */
  payer?: Payer;
  /**
   * Set on the token of the agent's commands. Every process in the checkout can read it, so it
   * gives access only to the git gateway.
   */
  isForGit?: true;
}

export type TurnToken = SandboxToken & { turnId: string; owner: TurnOwner };

/**
 * True for a turn token, which gives access to every endpoint for sandboxes. Any other token gives
 * access only to the git gateway.
 */
export function isTurnToken(token: SandboxToken | null): token is TurnToken {
  return token !== null && token.turnId !== null && token.owner !== null && token.isForGit !== true;
}

/** The maximum duration of a task. */
export const taskTokenLifetimeMs = 15 * 60_000;

export function issueToken(keys: SigningKeys, token: SandboxToken, expiresAt: number): Promise<string> {
  return sign(keys, "pass", token, expiresAt);
}

/**
 * Reads the token from bearer or basic credentials or the `x-api-key` header. Null if there is no
 * valid token.
 */
export async function readToken(keys: SigningKeys, headers: Headers, now: number): Promise<SandboxToken | null> {
  const credential = findCredential(headers);
  return credential === null ? null : await verify<SandboxToken>(keys, "pass", credential, now);
}

function findCredential(headers: Headers): string | null {
  const [scheme = "", credential = ""] = (headers.get("authorization") ?? "").split(" ");
  switch (scheme.toLowerCase()) {
    case "bearer":
      return credential;
    case "basic":
      return parsePassword(credential);
    default:
      return headers.get("x-api-key");
  }
}

function parsePassword(basic: string): string | null {
  try {
    return atob(basic).split(":")[1] ?? null;
  } catch {
    return null;
  }
}

/**
 * Checks sandbox tokens. A turn token is accepted while its turn is live, a task token while its
 * sandbox, owner and member exist. Returns the turn token of a call. Returns an error response if
 * the token is missing, its turn is over, or its turn does not have the tool.
 */
export async function getLiveTurn(
  request: Request,
  env: Env,
  tool: ProductToolName | null = null,
): Promise<TurnToken | Response> {
  const token = await readToken(env, request.headers, Date.now());
  if (!isTurnToken(token)) return new Response("no valid token", { status: 401 });
  const { owner, turnId, generation } = token;
  const object = getTurnOwnerObject(env, owner);
  if (tool !== null) {
    const refusal = await object.checkTool({ turnId, generation }, tool);
    return refusal === null ? token : new Response(refusal.message, { status: 403 });
  }
  const isLive = await object.isTurnLive({ turnId, generation });
  return isLive ? token : new Response("this turn is over", { status: 403 });
}

/**
 * True while the turn is live. For a task token: while its sandbox runs, its owner is not deleted,
 * and its member is in the workspace.
 */
export async function isTokenAlive(
  env: Pick<Env, "DB" | "SANDBOX" | "SESSION" | "PROJECT" | "CRON_RUN" | "JURISDICTION">,
  { turnId, owner, generation, sandboxKey, workspaceId, memberId }: SandboxToken,
): Promise<boolean> {
  if (turnId !== null)
    return owner !== null && (await getTurnOwnerObject(env, owner).isTurnLive({ turnId, generation }));
  const checks = await Promise.all([
    getSandboxObject(env, sandboxKey).isGenerationAlive(generation),
    owner === null || getTurnOwnerObject(env, owner).isOpen(),
    memberId === undefined || findMember(env.DB, workspaceId, memberId),
  ]);
  return checks.every(Boolean);
}
