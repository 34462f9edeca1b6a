// A skill message starts with the invocation character of the session's model and the name of a
// skill.

import type { WrittenText } from "../../chat/rules/message.ts";
import { findProvider } from "../../model/rules/model.ts";
import type { ProviderId } from "../../model/rules/provider.ts";
import { findNearestName } from "../../rules/nearest-name.ts";
import { type BuiltInSkill, builtInSkillNames, findBuiltInSkill } from "./built-in-skills.ts";
import { formatCallers, mayCallSkill } from "./skill-callers.ts";

const invocationCharacters: Record<ProviderId, "/" | "$"> = { anthropic: "/", openai: "$", zai: "/", kimi: "/" };

/**
 * The character with which skill messages start in a session on this model (Part 1, "Skill
 * messages").
 */
export function getInvocationCharacter(modelId: string | null): "/" | "$" {
  const provider = findProvider(modelId);
  return provider === null ? "/" : invocationCharacters[provider];
}

/** The skill that a message calls, and the text after its name. */
export interface SkillCall {
  name: string;
  argument: string;
}

/**
 * Names that never call a skill: a message with one is ordinary text (Part 1, "Skill messages").
 */
const plainWords = ["clear", "compact"];

/**
 * Parses the call of a message; null for ordinary text. Only the sandbox knows whether the skill
 * exists. If it does not, the message is ordinary text too.
 */
export function parseSkillCall(content: string, modelId: string | null): SkillCall | null {
  const text = content.trimStart();
  if (!text.startsWith(getInvocationCharacter(modelId))) return null;
  const [, name = "", argument = ""] = /^.([A-Za-z0-9]+(?:[-:._][A-Za-z0-9]+)*)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  return name === "" || plainWords.includes(name) ? null : { name, argument: argument.trim() };
}

/**
 * The skill that a message calls. If its writer may not call a built-in skill, the message is
 * ordinary text.
 */
export function findCalledSkill(message: WrittenText, modelId: string | null): SkillCall | null {
  const call = parseSkillCall(message.content, modelId);
  const factory = call && findBuiltInSkill(call.name);
  return factory && !mayCallSkill(factory, message) ? null : call;
}

/** The built-in skill that a message calls; null if it calls none. */
export function findCalledBuiltInSkill(message: WrittenText, modelId: string | null): BuiltInSkill | null {
  const call = findCalledSkill(message, modelId);
  return call && findBuiltInSkill(call.name);
}

/**
 * The text that precedes a message for the agent if its writer may not call the built-in skill that
 * it names; null for any other message.
 */
export function findUncountedCallNote(message: WrittenText, modelId: string | null): string | null {
  const call = parseSkillCall(message.content, modelId);
  const factory = call && findBuiltInSkill(call.name);
  if (!factory || mayCallSkill(factory, message)) return null;
  return (
    `[The message calls ${factory.name}, which did not run: it works only in messages from ${formatCallers(factory)}. ` +
    "Begin your answer by saying so, and do not do its work in another way.]"
  );
}

/** Explains a message that begins like a built-in skill and names none; null for any other. */
export function explainUnknownSkill(content: string): string | null {
  const called = /^\/(svc:[\w-]{0,60})/.exec(content)?.[1];
  if (called === undefined || builtInSkillNames.some((name) => name === called)) return null;
  const near = findNearestName(called, builtInSkillNames);
  return `There is no skill \`${called}\`, so this was sent as ordinary text.${near === null ? "" : ` Did you mean \`${near}\`?`}`;
}
