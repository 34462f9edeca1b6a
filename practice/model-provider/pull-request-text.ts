// The title and body of the practice model's pull requests: the user's message without its flags,
// else the last commit's subject.
import { readOpenPrFlags } from "../../src/session/rules/pull-request/open-flags.ts";
import { isReviewerName } from "../../src/session/rules/pull-request/reviewer-match.ts";
import { people } from "../code-host/people.ts";

const titleLength = 60;
const committing =
  "git add -A && { git diff --cached --quiet || git commit -q -m 'Practice: what was worked on'; } && git push -q origin HEAD";

/**
 * The shell command that commits, pushes and prints the subject of the newest commit that is not a
 * merge.
 */
export const commitAndPush = `${committing} && echo pushed && git log -1 --first-parent --no-merges --format=%s`;

/** Derives title and body from the user's message and from the output of `commitAndPush`. */
export function createPullRequestText(message: string, printed: string): { title: string; body: string } {
  const text = getText(message);
  const [line = ""] = text.split("\n", 1);
  const [, subject = "Practice: what was worked on"] = /^pushed\n(.+)/.exec(printed.trim()) ?? [];
  return {
    title: line === "" ? subject : `Practice: ${line.slice(0, titleLength)}`,
    body: ["The practice model wrote this and did no real work.", text].filter((part) => part !== "").join("\n\n"),
  };
}

const isReviewer = (word: string) => isReviewerName(word, people);

/** The message without the skill's name, its flags and their values. */
function getText(message: string): string {
  return message
    .replace(/^[\s\S]*?[/$]svc:[a-z-]+/, "")
    .split("\n")
    .map((line) => (/(^|\s)[-—–]\S/.test(line) ? readOpenPrFlags(line, isReviewer).text : line))
    .join("\n")
    .trim();
}
