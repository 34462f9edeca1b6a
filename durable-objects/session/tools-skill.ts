// The skill of a turn: the one that its message calls, or the one whose question it answers.

import type { SaidMessage } from "../../src/chat/rules/message.ts";
import type { Turn } from "../../src/chat/rules/turn.ts";
import type { FactorySkill } from "../../src/skill/rules/built-in-skill.ts";
import { factorySkillCalled, mayCallSkill, skillCall } from "../../src/skill/rules/skill-call.ts";
import type { SessionContext } from "./context.ts";

/** The factory skill of a turn; null without one. */
export function skillAtWork(
  { chat: { store, conversation } }: Pick<SessionContext, "chat">,
  turn: Turn,
): FactorySkill | null {
  const messages: SaidMessage[] = [];
  for (let asked: Turn | null = turn; asked !== null; ) {
    const message = conversation.firstMessageOf(asked.id);
    messages.push(message);
    if (skillCall(message.content, asked.model)) {
      const skill = factorySkillCalled(message, asked.model);
      // A sender who answers a skill's question continues the skill, and needs permission to call it.
      return skill && messages.every((one) => mayCallSkill(skill, one)) ? skill : null;
    }
    const before = store.turnNumbered(asked.number - 1);
    asked = before?.status === "awaiting_response" ? before : null;
  }
  return null;
}
