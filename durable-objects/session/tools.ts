// The tools that a session runs for its agents, because the agents must not run them themselves.
import { service } from "../../src/access/rules/actor.ts";
import type { ProductToolName, ToolAnswer } from "../../src/chat/rules/agent-profile.ts";
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import type { SaidMessage } from "../../src/chat/rules/message.ts";
import { recordResult } from "../../src/chat/rules/result.ts";
import { isRemembered, type Turn } from "../../src/chat/rules/turn.ts";
import type { CallFailure } from "../../src/model-gateway/rules/failure.ts";
import type { Payer } from "../../src/provider-login/rules/payer.ts";
import { type Refusal, refuse } from "../../src/rules/refusal.ts";
import { createSessionAgentProfile } from "../../src/session/rules/agent-profile.ts";
import { findAnsweredPending } from "../../src/session/rules/pull-request/open.ts";
import { isCommandRunning } from "../../src/session/rules/runtime-command.ts";
import type { BuiltInSkill } from "../../src/skill/rules/built-in-skills.ts";
import { findCalledBuiltInSkill, parseSkillCall } from "../../src/skill/rules/skill-call.ts";
import { mayCallSkill } from "../../src/skill/rules/skill-callers.ts";
import { findSpentReason, noSpend, spentCode } from "../../src/usage/rules/spend-limit.ts";
import { isTurnLive as isTurnOfChatLive } from "../chat/effects.ts";
import type { ToolCall } from "../chat/rpc.ts";
import type { SessionContext } from "./context.ts";
import { createPullRequestForTurn } from "./pull-request/open.ts";
import { shipForTurn } from "./pull-request/ship.ts";

/** Runs a tool for the agent of a turn. */
export async function runTool(context: SessionContext, turnId: string, call: ToolCall): Promise<ToolAnswer | Refusal> {
  switch (call.tool) {
    case "open-pull-request":
      return await createPullRequestForTurn(context, turnId, call.draft);
    case "ship":
      return await shipForTurn(context, { turnId, sha: call.sha });
    case "submit-result":
      return context.chat.owner.decide(service, (chat) => recordResult(chat, { turnId, result: call.result }));
  }
}

export interface TurnCall {
  /** The message that started the turn. */
  message: SaidMessage;
  turn: Turn;
  /** The built-in skill that the turn works on. */
  skill: BuiltInSkill | null;
  /** True if a pending pull request waits for what the message says. */
  isPending: boolean;
}

/** The tools that a turn offers besides those of every turn. */
export function listTurnTools(call: TurnCall): readonly ProductToolName[] {
  return [...listCalledTools(call), ...(call.turn.resultSchema === null ? [] : (["submit_result"] as const))];
}

function listCalledTools({ message, turn, skill, isPending }: TurnCall): readonly ProductToolName[] {
  const called = findCalledBuiltInSkill(message, turn.model);
  if (called) return called.tools;
  if (isPending) return ["open_pull_request"];
  // The service may have finished by itself what open-pr waited for.
  return skill === null || skill.name === "svc:open-pr" ? [] : skill.tools;
}

/**
 * Refuses a tool that the turn does not have, regardless of the caller: its sandbox runs more than
 * its agent.
 */
export function checkTool(context: SessionContext, claim: TurnLinkClaim, tool: ProductToolName): Refusal | null {
  const state = context.store.find();
  const turn = context.chat.store.turn(claim.turnId);
  if (!state || !turn || !isTurnLive(context, claim)) return refuse("FORBIDDEN", "This turn is over.");
  const message = context.chat.conversation.getFirstMessage(turn.id);
  const isPending = findAnsweredPending(state, message) !== null;
  const tools = listTurnTools({ message, turn, skill: findRunningSkill(context, turn), isPending });
  if (createSessionAgentProfile(state.session, tools).tools.includes(tool)) return null;
  return refuse("FORBIDDEN", `This turn has no tool ${tool}: the message that started it does not call for it.`);
}

/** Whether the agent of a turn or of a command may still call a model or push. */
export function isTurnLive({ store, chat }: Pick<SessionContext, "store" | "chat">, claim: TurnLinkClaim): boolean {
  const { session } = store.find() ?? {};
  return session?.command?.id === claim.turnId ? isCommandRunning(session) : isTurnOfChatLive(chat, claim);
}

/** Refuses a call on the workspace's money once the session's limit is reached. */
export function checkSpend(context: Pick<SessionContext, "store" | "chat">, payer: Payer): CallFailure | null {
  const limitUsd = context.store.find()?.session.spendLimitUsd ?? null;
  if (limitUsd === null || payer.type === "member") return null;
  context.chat.counts.flush();
  const session = { limitUsd, spentNanoUsd: context.chat.store.calls.spentNanoUsd() };
  const reason = findSpentReason({ workspace: noSpend, session });
  return reason === null ? null : { code: spentCode, message: reason };
}

/**
 * The built-in skill of a turn: the one that its message calls, or the one whose question it
 * answers. Null without one.
 */
export function findRunningSkill(
  { chat: { owner, store, conversation } }: Pick<SessionContext, "chat">,
  turn: Turn,
): BuiltInSkill | null {
  const clearedAt = owner.find()?.clearedAt ?? null;
  const messages: SaidMessage[] = [];
  for (let asked: Turn | null = turn; asked !== null; ) {
    const message = conversation.getFirstMessage(asked.id);
    messages.push(message);
    if (parseSkillCall(message.content, asked.model)) {
      const skill = findCalledBuiltInSkill(message, asked.model);
      // A sender who answers a skill's question continues the skill, and needs permission to call
      // it.
      return skill && messages.every((one) => mayCallSkill(skill, one)) ? skill : null;
    }
    const before = store.turnNumbered(asked.number - 1);
    asked = before?.status === "awaiting_response" && isRemembered(before, clearedAt) ? before : null;
  }
  return null;
}
