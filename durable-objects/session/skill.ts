// The skill of a turn: the one that its message calls, or the one whose question it answers.

import type { Turn } from "../../src/rules/chat/turn.ts";
import type { FactorySkill } from "../../src/rules/skill/factory-skill.ts";
import { factorySkillCalled, skillCall } from "../../src/rules/skill/skill-call.ts";
import type { SessionContext } from "./context.ts";

/** The factory skill of a turn; null without one. */
export function skillAtWork(
  { chat: { store, conversation } }: Pick<SessionContext, "chat">,
  turn: Turn,
): FactorySkill | null {
  for (let asked: Turn | null = turn; asked !== null; ) {
    const { content } = conversation.firstMessageOf(asked.id);
    if (skillCall(content, asked.model)) return factorySkillCalled(content, asked.model);
    const before = store.turnNumbered(asked.number - 1);
    asked = before?.status === "awaiting_response" ? before : null;
  }
  return null;
}
