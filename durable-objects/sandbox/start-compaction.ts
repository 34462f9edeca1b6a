// Has the sandbox program summarize the agent's conversation. Its token is valid only while the
// owner says that the command runs.
import type { Env } from "../../src/env.ts";
import { toModelGrant } from "../../src/model/turn-model.ts";
import { type Refusal, refuse } from "../../src/rules/refusal.ts";
import { type ProgramClient, unwrap } from "../../src/sandbox/program/client.ts";
import { isTimeout } from "../../src/sandbox/program/driver.ts";
import type { Sandbox } from "../../src/sandbox/rules/lifecycle.ts";
import { issueToken, type SandboxToken, taskTokenLifetimeMs } from "../../src/sandbox/token.ts";
import type { CompactionRequest } from "../../src/sandbox/turn-request.ts";
import type { Compacted, Compaction } from "../../src/sandbox-protocol/protocol.ts";

interface Taker {
  key: string;
  sandbox: Sandbox;
  program: ProgramClient;
  request: CompactionRequest;
}

/**
 * Compacts a conversation in a running program. If the program does not have the conversation, no
 * summary is needed.
 */
export async function compactInProgram(env: Env, taker: Taker): Promise<Compacted | Refusal> {
  const { key, sandbox, program, request } = taker;
  const { owner, sandboxOwner } = request;
  const { workspaceId, projectId, branch } = sandboxOwner;
  const { commandId, conversationId, profile, focus } = request;
  const { generation } = sandbox;
  const claims: SandboxToken = {
    workspaceId,
    projectId,
    owner,
    branch,
    git: "none",
    sandboxKey: key,
    generation,
    turnId: commandId,
    model: toModelGrant(request.model),
    payer: request.payer,
  };
  const token = await issueToken(env, claims, Date.now() + taskTokenLifetimeMs);
  const baseUrl = `${env.SANDBOX_TO_SERVICE_URL}/internal/models/${request.model.provider}`;
  const compaction: Compaction = {
    commandId,
    model: { ...request.model, baseUrl, token },
    conversationId,
    profile,
    focus,
  };
  try {
    const answer = await program.compact(compaction);
    if (!answer.ok && answer.refusal.code === "CONVERSATION_MISSING") return { compacted: false };
    return unwrap(answer);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return refuse("SERVICE_UNAVAILABLE", "The conversation could not be compacted in time. Try again.");
  }
}
