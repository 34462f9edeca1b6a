// The tools that a session runs for its agents, because they must not be left to the agent.

import type { ToolAnswer } from "../../src/rules/chat/tool-answer.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import type { ToolCall } from "../chat/rpc.ts";
import type { SessionContext } from "./context.ts";
import { openForTurn } from "./pull-request/open.ts";
import { shipForTurn } from "./pull-request/ship.ts";

/** Runs a tool for the agent of a turn. */
export async function runTool(context: SessionContext, turnId: string, call: ToolCall): Promise<ToolAnswer | Refusal> {
  switch (call.tool) {
    case "open-pull-request":
      return await openForTurn(context, turnId, call.draft);
    case "ship":
      return await shipForTurn(context, { turnId, sha: call.sha });
  }
}
