// The `/` at the beginning of a message: which skills and commands it can mean, and which command a
// text is.
import type { Schemas } from "@switchyard/client";

export interface Suggestion {
  /** With its sign, such as `/svc:ship`. */
  name: string;
  description: string;
  argumentHint: string | null;
  /** Where it comes from, in words. */
  source: string;
}

const commands: readonly Suggestion[] = [
  {
    name: "/clear",
    description: "Starts the agent fresh. The conversation stays here to read.",
    argumentHint: null,
    source: "command",
  },
  {
    name: "/compact",
    description: "Has the agent summarize the conversation, and continue from that.",
    argumentHint: "[what to keep]",
    source: "command",
  },
];

const sources: Record<Schemas["Skill"]["source"], string> = {
  factory: "built in",
  project: "project",
  workspace: "workspace",
  personal: "yours",
  plugin: "plugin",
};

/** The sign before a skill's name, which depends on the provider of the session's model. */
export const signOf = (model: string | null): "/" | "$" => (model?.startsWith("openai:") ? "$" : "/");

/**
 * The beginning of a name that is being typed at the start of the text; null where there is none.
 */
export function readPrefix(text: string, caret: number): string | null {
  const typed = /^[/$]\S*/.exec(text)?.[0] ?? null;
  return typed !== null && caret > 0 && caret <= typed.length ? typed.slice(0, caret) : null;
}

/** What a prefix can mean: names that begin with it come first, then those that contain it. */
export function listSuggestions(prefix: string, skills: readonly Schemas["Skill"][], sign: "/" | "$"): Suggestion[] {
  const named = skills.map(({ name, description, argumentHint, source }) => ({
    name: sign + name,
    description,
    argumentHint,
    source: sources[source],
  }));
  const wanted = prefix.slice(1).toLowerCase();
  const ofSign = [...named, ...commands].filter(({ name }) => name[0] === prefix[0]);
  const begins = ofSign.filter(({ name }) => name.slice(1).toLowerCase().startsWith(wanted));
  const contains = ofSign.filter((one) => !begins.includes(one) && one.name.toLowerCase().includes(wanted));
  return [...begins, ...contains];
}

/** The text after a name was chosen, ready for its arguments. */
export function fillSuggestion(text: string, name: string): string {
  return `${name} ${text.replace(/^\S*\s*/, "")}`;
}

/** The runtime command that a text is; null for a message. */
export function readCommand(text: string): { command: Schemas["RuntimeCommand"]; instructions?: string } | null {
  const found = /^\/(clear|compact)(?:\s+([\s\S]*))?$/.exec(text.trim());
  if (!found) return null;
  const instructions = found[2]?.trim();
  // `/clear` takes nothing, so that more text makes it a message.
  if (found[1] === "clear") return instructions ? null : { command: "/clear" };
  return instructions ? { command: "/compact", instructions } : { command: "/compact" };
}
