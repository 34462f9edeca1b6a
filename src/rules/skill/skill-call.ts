// A skill message: one that starts with the name of a skill, behind the character that the session's model calls for.

import { invocationCharacterOf } from "../model/model.ts";
import { type FactorySkill, factorySkill } from "./factory-skill.ts";

/** What a message calls, and what it says besides. */
export interface SkillCall {
  name: string;
  argument: string;
}

/** Plain text when they are sent as a message (Part 1, "Skill messages"), whatever a project calls its skills. */
const plainWords = ["clear", "compact"];

/**
 * Reads the call off a message. Null for ordinary text. Whether there is such a skill is for the sandbox to say: where it lacks it, the
 * message is ordinary text too.
 */
export function skillCall(content: string, modelId: string | null): SkillCall | null {
  const text = content.trimStart();
  if (!text.startsWith(invocationCharacterOf(modelId))) return null;
  const [, name = "", argument = ""] = /^.([A-Za-z0-9]+(?:[-:._][A-Za-z0-9]+)*)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  return name === "" || plainWords.includes(name) ? null : { name, argument: argument.trim() };
}

/** The factory's skill that a message calls; null when it calls none. */
export function factorySkillCalled(content: string, modelId: string | null): FactorySkill | null {
  const call = skillCall(content, modelId);
  return call && factorySkill(call.name);
}
