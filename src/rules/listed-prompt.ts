// Prompts in lists, in searches and in events. A prompt may be long, and a page has many, so they
// contain its first characters and say whether there is more. A read of one session or cron returns
// the whole prompt (decisions, "Sizes").

import { listedPromptCharacters } from "./limits.ts";
import { hasMoreCodePoints, toFirstCodePoints } from "./text.ts";

export interface ListedPrompt<Prompt extends string | null> {
  prompt: Prompt;
  /** True if the whole prompt is longer. */
  isPromptCut: boolean;
}

/** Cuts a prompt for a list. A prompt that was already cut stays marked. */
export function toListedPrompt<Prompt extends string | null>(whole: {
  prompt: Prompt;
  isPromptCut?: boolean;
}): ListedPrompt<Prompt> {
  const { prompt, isPromptCut = false } = whole;
  if (prompt === null || !hasMoreCodePoints(prompt, listedPromptCharacters)) return { prompt, isPromptCut };
  return { prompt: toFirstCodePoints(prompt, listedPromptCharacters) as Prompt, isPromptCut: true };
}
