// Which response is due. The practice model keeps nothing between requests: the conversation itself says which script is being
// followed and how many of its responses were given. Failed, retried and stopped requests leave no response behind, so they do not count.
import type { Conversation, Entry } from "./conversation.ts";
import { unscripted } from "./default-turn.ts";
import { type Response, type Script, scriptOf } from "./script.ts";
import { skillAnswerScriptOf, skillScriptOf } from "./skill-turn.ts";

interface Turn extends Script {
  /** The message that the turn began with. */
  opening: Entry | null;
  isOver: boolean;
}

// How agents note in a conversation that a turn did not reach its end.
const stopNote = /^\s*(\[[^\]\n]*\b(stopped|interrupted|cancelled|aborted|failed)\b[^\]\n]*\]|<turn_aborted>)/im;
const askingTool = /^The user is asked\b/;
const stoppedTool = /^(No result provided|.*\b(Command|Operation) aborted)\s*$/s;

/** The response that a conversation asks for. */
export function dueResponse(conversation: Conversation): Response {
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
        scriptOf(entry.text) ??
        skillScriptOf(entry.text, conversation) ??
        skillAnswerScriptOf(entry.text, conversation);
      if (script !== null) return { ...script, opening: entry, isOver: false };
      const goesOn = !turn.isOver && !stopNote.test(entry.text) && !hasBrokenOff(turn, previous);
      return goesOn ? turn : { ...unscripted(conversation), opening: entry, isOver: false };
    }
  }
}

/** Whether a message without a script belongs to a new turn: the one before failed, ended on a question, or was stopped while the model waited. */
function hasBrokenOff(turn: Turn, previous: Entry | null): boolean {
  const due = turn.responses[turn.given];
  const asked = turn.responses[turn.given - 1]?.last?.kind === "ask" && due?.isClosing === true;
  const failed = due?.last?.kind === "fail";
  const stoppedInWait = previous === turn.opening && due?.before.some((step) => step.kind === "sleep");
  return due === undefined || asked || failed || stoppedInWait === true;
}
