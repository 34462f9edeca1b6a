// Compactions requested by a user. They run one at a time. A repeated request gets the same result.

import { createRedaction } from "../../src/rules/redaction.ts";
import type { Compacted, Compaction } from "../../src/sandbox-protocol/protocol.ts";
import type { Agent } from "../agent/agent.ts";
import { createProductTools, type ToolAccess } from "../agent/tools/product-tools.ts";
import { createRefusal } from "../http/refusal.ts";

export interface Compactions {
  isRunning(): boolean;
  run(wanted: Compaction): Promise<Compacted>;
  /** Aborts the running compaction, which then fails. */
  abort(): void;
}

const longestCompactionMs = 5 * 60_000;

/** Creates the compactions. No tool runs during one. */
export function createCompactions(agent: Agent, access: ToolAccess): Compactions {
  let newest: { commandId: string; answer: Promise<Compacted> } | null = null;
  let aborting: AbortController | null = null;

  async function compact({ commandId: _, profile, ...wanted }: Compaction): Promise<Compacted> {
    if (!agent.hasConversation(wanted.conversationId)) return { compacted: false };
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(longestCompactionMs)]);
    aborting = controller;
    try {
      const { writes, instructions } = profile;
      const tools = createProductTools(profile.tools, access);
      const outcome = await agent.compact({ ...wanted, writes, instructions, tools, signal });
      if (outcome.type !== "failed") return { compacted: outcome.type === "done" };
      throw createRefusal("COMPACTION_FAILED", createRedaction([wanted.model.token]).whole(outcome.error));
    } finally {
      aborting = null;
    }
  }

  return {
    isRunning: () => aborting !== null,
    run(wanted) {
      if (newest?.commandId === wanted.commandId) return newest.answer;
      if (aborting) throw createRefusal("TURN_RUNNING", "The conversation is being compacted.");
      newest = { commandId: wanted.commandId, answer: compact(wanted) };
      return newest.answer;
    },
    abort: () => aborting?.abort(),
  };
}
