// A sync whose conflicts a person decides on: what they are asked (Part 1, "Skill messages"), and what their answer means.
import { placeChosen, turnsRound } from "./answer-words.ts";
import type { ClarificationQuestion } from "./block.ts";

/** The version of the session's branch, that of the branch which comes in, or one made by hand. */
export const resolutions = ["branch", "base", "by-hand"] as const;
export type Resolution = (typeof resolutions)[number];

const titles: Record<Resolution, string> = {
  branch: "Keep this branch's version",
  base: "Take the Target Branch's version",
  "by-hand": "Another resolution",
};
const filesNamed = 10;

/** The question about files that both branches changed. */
export function conflictQuestion(base: string, conflicts: string[]): ClarificationQuestion {
  const more = conflicts.length - filesNamed;
  const files = `${conflicts.slice(0, filesNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const descriptions: Record<Resolution, string> = {
    branch: `Where the two disagree, what this branch has stays. Everything else of ${base} comes in.`,
    base: `Where the two disagree, what ${base} has is taken. Everything else of this branch stays.`,
    "by-hand": "Say how, or let the agent work out a version that keeps what both meant.",
  };
  return {
    topic: "Conflicts",
    question: `This branch and ${base} disagree in ${files}. What is to become of that?`,
    options: resolutions.map((resolution) => ({
      title: titles[resolution],
      description: descriptions[resolution],
      isRecommended: resolution === "branch",
    })),
  };
}

const version = "( version| versions| one| side| changes)?";
const meant: Record<Resolution, RegExp> = {
  branch: new RegExp(`^(the )?(this branch( s)?|mine|ours|my|our)${version}$`),
  base: new RegExp(`^(the )?(target branch( s)?|target( s)?|base( s)?|theirs|their)${version}$`),
  "by-hand": /^(another resolution|(do )?something else)$/,
};

/** What an answer chooses when it says so in words like those of an option; null when that is for the agent to make out. */
export function resolutionOf(answer: string): Resolution | null {
  // What follows says how.
  if (/^\s*(another resolution|(do )?something else)\s*[:,–—-]/i.test(answer)) return "by-hand";
  if (turnsRound(answer)) return null;
  const place = placeChosen(answer, resolutions.length);
  if (place !== null) return resolutions[place] ?? null;
  const words = plain(answer)
    .replace(/^(please )?((keep|take|use|choose|pick|go with|leave) )?/, "")
    .replace(/ (please|thanks|thank you)$/, "");
  return resolutions.find((resolution) => meant[resolution].test(words)) ?? null;
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z]+/g, " ")
    .trim();

/** True for a message that wants a rebase and not a merge. */
export function asksForRebase(message: string): boolean {
  return /\brebas(e|ed|ing)\b/i.test(message) && !/\b(not|no|don.?t|never|without)\b[^.]{0,20}\brebas/i.test(message);
}
