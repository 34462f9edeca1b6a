// The practice model's turns for built-in skills: a few steps that do what a real model would.
import type { Conversation } from "./conversation.ts";
import { getNewestText } from "./conversation.ts";
import { commitAndPush, createPullRequestText } from "./pull-request-text.ts";
import { createScript, type Script } from "./script.ts";
import type { Step } from "./step.ts";

const called = /^<skill name="(svc:[a-z-]+)">\n[\s\S]*?\n<\/skill>\n\n([\s\S]*)$/;

const turns: Record<string, (message: string, conversation: Conversation) => Step[]> = {
  "svc:ship": (_message, conversation) => [{ kind: "tool", name: "ship", input: {} }, reportAnswer(conversation)],
  "svc:sync-branch": (message, conversation) => [
    sync({ rebase: /\brebase\b/i.test(message) }),
    reportAnswer(conversation),
  ],
  "svc:open-pr": (message, conversation) => [
    { kind: "bash", command: commitAndPush },
    {
      kind: "tool",
      name: "open_pull_request",
      input: { ...createPullRequestText(message, getNewestText(conversation, "tool")) },
    },
    reportAnswer(conversation),
  ],
};

const keepBoth =
  "git diff --name-only --diff-filter=U -z | xargs -0 sed -i -e '/^<<<<<<< /d' -e '/^=======$/d' -e '/^>>>>>>> /d'";

/**
 * The service's note on a sync that waits for an answer: it names the chosen option, or asks the
 * model to interpret the answer.
 */
const syncWaits = /^\[The sync with \S+ waits [^\n]*\]\n\n([\s\S]*)$/;
const chosen = /^\[[^\n]* chooses `([a-z-]+)`/;

function findSyncAnswer(text: string, conversation: Conversation): Step[] | null {
  const [, message] = syncWaits.exec(text) ?? [];
  if (message === undefined) return null;
  const [, resolution = ""] = chosen.exec(text) ?? [];
  if (resolution === "") return isShort(message) ? [sync({}), reportAnswer(conversation)] : null;
  const settles: Step[] = resolution === "by-hand" ? [{ kind: "bash", command: keepBoth }, sync({ finish: true })] : [];
  return [sync({ resolution }), ...settles, reportAnswer(conversation)];
}

/**
 * The service's notes on an answered pull request that needs no further work. A script in the
 * message takes precedence.
 */
const settled: [note: RegExp, say: string][] = [
  [/^\[The pull request that waited for this answer is open: (\S+)\. /, "The pull request is open: $1"],
  [
    /^\[The pull request "(.*)" waited for this answer\. The user does not want it opened/,
    "The pull request “$1” is not opened.",
  ],
];

const waiting = /^\[The pull request "(.*)" waits for the user's answer to: [^\n]*\]\n\n([\s\S]*)$/;

function findOpenPrAnswer(text: string, conversation: Conversation): Step[] | null {
  const [, title = "", message = ""] = waiting.exec(text) ?? [];
  if (title === "" || !isShort(message)) return null;
  return [
    { kind: "bash", command: commitAndPush },
    { kind: "tool", name: "open_pull_request", input: { title, body: "" } },
    reportAnswer(conversation),
  ];
}

const answerWordsMax = 6;

/**
 * The practice model does not understand prose. A short text may be an answer, so the user is asked
 * again; a longer one is about something else.
 */
function isShort(message: string): boolean {
  return message.trim().split(/\s+/).length <= answerWordsMax;
}

/** Returns the script for an answer to a skill's question; null for any other message. */
export function findSkillAnswerScript(text: string, conversation: Conversation): Script | null {
  for (const [note, say] of settled) {
    const found = note.exec(text);
    if (found) return createScript([{ kind: "say", text: say.replace("$1", found[1] ?? "") }]);
  }
  const opening = findOpenPrAnswer(text, conversation);
  if (opening !== null) return createScript(opening);
  const steps = findSyncAnswer(text, conversation);
  return steps && createScript(steps);
}

function sync(input: Record<string, string | boolean>): Step {
  return { kind: "tool", name: "sync_branch", input };
}

function reportAnswer(conversation: Conversation): Step {
  return { kind: "say", text: `The practice model received: ${getNewestText(conversation, "tool")}` };
}

/** Returns the script for a message that calls a skill; null for any other. */
export function findSkillScript(text: string, conversation: Conversation): Script | null {
  const [, name = "", message = ""] = called.exec(text) ?? [];
  const steps = turns[name]?.(message, conversation);
  return steps === undefined ? null : createScript(steps);
}
