// What the practice model does with a message that calls a skill of the factory: it does in a few steps what a real model would.
import type { Conversation } from "./conversation.ts";
import { newestText } from "./conversation.ts";
import { type Script, scriptOfSteps } from "./script.ts";
import type { Step } from "./step.ts";

const called = /^<skill name="(svc:[a-z-]+)">\n[\s\S]*?\n<\/skill>\n\n([\s\S]*)$/;
const commitAndPush =
  "git add -A && { git diff --cached --quiet || git commit -q -m 'Practice: what was worked on'; } && git push -q origin HEAD && echo pushed";
const titleLength = 60;

const turns: Record<string, (message: string, conversation: Conversation) => Step[]> = {
  "svc:open-pr": (message, conversation) => [
    { kind: "bash", command: commitAndPush },
    { kind: "tool", name: "open_pull_request", input: { title: title(message), body: body(message) } },
    { kind: "say", text: `The practice model was told: ${newestText(conversation, "tool")}` },
  ],
};

/** The script of a message that calls a skill; null for any other. */
export function skillScriptOf(text: string, conversation: Conversation): Script | null {
  const [, name = "", message = ""] = called.exec(text) ?? [];
  const steps = turns[name]?.(message, conversation);
  return steps === undefined ? null : scriptOfSteps(steps);
}

/** The message without the skill's name and its flags, as far as somebody who stands in for a model has to know them. */
function context(message: string): string {
  return message
    .replace(/^[\s\S]*?[/$]svc:[a-z-]+/, "")
    .replace(/(^|\s)-\S+/g, " ")
    .trim();
}

function title(message: string): string {
  const [line = ""] = context(message).split("\n", 1);
  return line === "" ? "Practice: what was worked on" : `Practice: ${line.slice(0, titleLength)}`;
}

function body(message: string): string {
  return ["The practice model wrote this and did no real work.", context(message)]
    .filter((part) => part !== "")
    .join("\n\n");
}
