// The response that is due. The practice model is stateless: the conversation determines which
// script is followed and how many of its responses were given. Failed, retried and stopped requests
// leave no response in the conversation, so they do not count.
import type { Conversation, Entry } from "./conversation.ts";
import { createDefaultScript } from "./default-turn.ts";
import { findDeployScript } from "./deploy-turn.ts";
import { findScript, type Response, type Script } from "./script.ts";
import { findSkillAnswerScript, findSkillScript } from "./skill-turn.ts";

interface Turn extends Script {
  /** The message that started the turn. */
  opening: Entry | null;
  isOver: boolean;
}

// The notes of agents about a turn that did not end normally.
const stopNote = /^\s*(\[[^\]\n]*\b(stopped|interrupted|cancelled|aborted|failed)\b[^\]\n]*\]|<turn_aborted>)/im;
/** The reminder of an agent that has ended without the result that it was asked for. */
const resultReminder = /^You ended without the result\b/;
const askingTool = /^The user (is|has been) asked\b/;
const stoppedTool = /^(No result provided|.*\b(Command|Operation) aborted)\s*$/s;

/** Returns the response that is due in a conversation. */
export function getDueResponse(conversation: Conversation): Response {
  let turn: Turn = { responses: [], given: 0, opening: null, isOver: true };
  let previous: Entry | null = null;
  for (const entry of conversation.entries) {
    turn = turnAfter(turn, entry, previous, conversation);
    previous = entry;
  }
  return turn.responses[turn.given] ?? turn.responses.at(-1) ?? { before: [], last: null };
}

function turnAfter(turn: Turn, entry: Entry, previous: Entry | null, conversation: Conversation): Turn {
  switch (entry.from) {
    case "model":
      return { ...turn, given: turn.given + 1, isOver: !entry.callsTool };
    case "tool":
      return stoppedTool.test(entry.text) || askingTool.test(entry.text) ? { ...turn, isOver: true } : turn;
    case "user": {
      const script =
        findScript(entry.text) ??
        findSkillScript(entry.text, conversation) ??
        findSkillAnswerScript(entry.text, conversation) ??
        findDeployScript(entry.text, conversation);
      if (script !== null) return { ...script, opening: entry, isOver: false };
      if (resultReminder.test(entry.text)) return { ...turn, isOver: false };
      const goesOn = !turn.isOver && !stopNote.test(entry.text) && !hasBrokenOff(turn, previous);
      return goesOn ? turn : { ...createDefaultScript(conversation), opening: entry, isOver: false };
    }
  }
}

/**
 * True if a message without a script starts a new turn: the previous one failed, ended with a
 * question or a result, or was stopped during a wait.
 */
function hasBrokenOff(turn: Turn, previous: Entry | null): boolean {
  const due = turn.responses[turn.given];
  const last = turn.responses[turn.given - 1]?.last?.kind;
  const hasAsked = (last === "ask" || last === "submit") && due?.isClosing === true;
  const failed = due?.last?.kind === "fail";
  const stoppedInWait = previous === turn.opening && due?.before.some((step) => step.kind === "sleep");
  return due === undefined || hasAsked || failed || stoppedInWait === true;
}
