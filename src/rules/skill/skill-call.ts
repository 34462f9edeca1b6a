// A skill message starts with the invocation character of the session's model and the name of a skill.

import { invocationCharacterOf } from "../model/model.ts";
import { type FactorySkill, factorySkill } from "./factory-skill.ts";

/** The skill that a message calls, and the text behind it. */
export interface SkillCall {
  name: string;
  argument: string;
}

/** Names that never call a skill: a message with them is ordinary text (Part 1, "Skill messages"). */
const plainWords = ["clear", "compact"];

/**
 * Parses the call of a message; null for ordinary text. Only the sandbox knows whether the skill exists. If it does not, the message is
 * ordinary text too.
 */
export function skillCall(content: string, modelId: string | null): SkillCall | null {
  const text = content.trimStart();
  if (!text.startsWith(invocationCharacterOf(modelId))) return null;
  const [, name = "", argument = ""] = /^.([A-Za-z0-9]+(?:[-:._][A-Za-z0-9]+)*)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  return name === "" || plainWords.includes(name) ? null : { name, argument: argument.trim() };
}

/** The factory skill that a message calls; null if it calls none. */
export function factorySkillCalled(content: string, modelId: string | null): FactorySkill | null {
  const call = skillCall(content, modelId);
  return call && factorySkill(call.name);
}
