// Having the sandbox program summarize the agent's conversation, with a token that lives while the session says that the command runs.
import type { Env } from "../../src/env.ts";
import { type Refusal, refuse } from "../../src/rules/refusal.ts";
import type { Sandbox } from "../../src/rules/sandbox/sandbox.ts";
import { type ProgramClient, unwrap } from "../../src/sandbox/client.ts";
import type { CompactionOrder } from "../../src/sandbox/compaction-request.ts";
import type { Compacted, Compaction } from "../../src/sandbox/protocol.ts";
import { issueToken, type SandboxToken, taskTokenLifetimeMs } from "../../src/sandbox/token.ts";

interface Taker {
  key: string;
  sandbox: Sandbox;
  program: ProgramClient;
  order: CompactionOrder;
}

/** Compacts a conversation in a running program. One that the program does not hold has nothing to summarize. */
export async function compactInProgram(env: Env, taker: Taker): Promise<Compacted | Refusal> {
  const { key, sandbox, program, order } = taker;
  const { workspaceId, projectId, sessionId, branch } = order.owner;
  const { commandId, conversationId, instructions, focus } = order;
  const { generation } = sandbox;
  const claims: SandboxToken = {
    workspaceId,
    projectId,
    sessionId,
    branch,
    sandboxKey: key,
    generation,
    turnId: commandId,
  };
  const token = await issueToken(env.SIGNING_KEY, claims, Date.now() + taskTokenLifetimeMs);
  const baseUrl = `${env.SANDBOX_TO_SERVICE_URL}/internal/models/${order.model.provider}`;
  const compaction: Compaction = {
    commandId,
    model: { ...order.model, baseUrl, token },
    conversationId,
    instructions,
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

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}
