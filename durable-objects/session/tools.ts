// The tools that a session runs for its agents, because they must not be left to the agent.

import type { ProductToolName, ToolAnswer } from "../../src/chat/rules/agent-profile.ts";
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import type { SaidMessage } from "../../src/chat/rules/message.ts";
import type { Turn } from "../../src/chat/rules/turn.ts";
import { type Refusal, refuse } from "../../src/rules/refusal.ts";
import { sessionAgentProfile } from "../../src/session/rules/agent-profile.ts";
import { pendingAnsweredBy } from "../../src/session/rules/pull-request/open.ts";
import type { FactorySkill } from "../../src/skill/rules/built-in-skill.ts";
import { factorySkillCalled } from "../../src/skill/rules/skill-call.ts";
import type { ToolCall } from "../chat/rpc.ts";
import type { SessionContext } from "./context.ts";
import { openForTurn } from "./pull-request/open.ts";
import { shipForTurn } from "./pull-request/ship.ts";
import { skillAtWork } from "./tools-skill.ts";
import { isTurnLive } from "./tools-turn-live.ts";

/** Runs a tool for the agent of a turn. */
export async function runTool(context: SessionContext, turnId: string, call: ToolCall): Promise<ToolAnswer | Refusal> {
  switch (call.tool) {
    case "open-pull-request":
      return await openForTurn(context, turnId, call.draft);
    case "ship":
      return await shipForTurn(context, { turnId, sha: call.sha });
  }
}

export interface TurnCall {
  /** The message that started the turn. */
  message: SaidMessage;
  turn: Turn;
  /** The factory's skill that the turn works on. */
  skill: FactorySkill | null;
  /** True if a pending pull request waits for what the message says. */
  isPending: boolean;
}

/** The tools that a turn offers besides those of every turn. */
export function toolsOfTurn({ message, turn, skill, isPending }: TurnCall): readonly ProductToolName[] {
  const called = factorySkillCalled(message, turn.model);
  if (called) return called.tools;
  if (isPending) return ["open_pull_request"];
  // What open-pr waited for, the service may have finished by itself.
  return skill === null || skill.name === "svc:open-pr" ? [] : skill.tools;
}

/** Refuses a tool that the turn does not have, whatever asks for it: in its sandbox runs more than its agent. */
export function checkTool(context: SessionContext, claim: TurnLinkClaim, tool: ProductToolName): Refusal | null {
  const state = context.store.find();
  const turn = context.chat.store.turn(claim.turnId);
  if (!state || !turn || !isTurnLive(context, claim)) return refuse("FORBIDDEN", "This turn is over.");
  const message = context.chat.conversation.firstMessageOf(turn.id);
  const isPending = pendingAnsweredBy(state, message) !== null;
  const tools = toolsOfTurn({ message, turn, skill: skillAtWork(context, turn), isPending });
  if (sessionAgentProfile(state.session, tools).tools.includes(tool)) return null;
  return refuse("FORBIDDEN", `This turn has no tool ${tool}: the message that started it does not call for it.`);
}
