// A message that comes while a sync waits for somebody to decide about its conflicts: what it chooses is told to the agent, what only looks like
// an answer has the user asked again, and whatever leaves the sync as it is ends with a word that it still waits.
import { type OpenConflict, readSyncAnswer } from "../../../src/rules/branch/sync-answer.ts";
import { conflictQuestion, filesInWords, type Resolution } from "../../../src/rules/branch/sync-conflict.ts";
import type { TurnStart } from "../../../src/sandbox/protocol.ts";
import type { Folders } from "../../folders.ts";
import { requireCheckout } from "../../project/checkout-record.ts";
import type { AgentEvent } from "../agent.ts";
import { readSync, type SyncRecord, writeSync } from "./record.ts";

/** What a turn's message is to the sync that waits; the note is for the agent to read before the message. */
export type WaitingSync = { is: "unclear" } | { is: "chosen" | "open"; note: string };

type AnswerTurn = Pick<TurnStart, "prompt" | "tools" | "skill">;

/** Reads the message of a turn that may answer the question of a sync; null where none waits for it. */
export function readWaitingSync(folders: Folders, start: AnswerTurn): WaitingSync | null {
  const asked = openIn(folders, start);
  if (asked === null || asked.byHand || asked.isSetAside) return null;
  const answer = readSyncAnswer(start.prompt, conflictOf(folders, asked));
  if (answer === "unclear") return { is: "unclear" };
  const waits = `[The sync with ${asked.base} waits for the user's answer about the conflicts in ${filesInWords(asked.conflicts)}.`;
  return answer === null
    ? {
        is: "open",
        note:
          `${waits} If the message below says what is to become of them, call sync_branch with the \`resolution\` that it means. If it is ` +
          "about something else, leave the conflicts alone and do what it says.]",
      }
    : {
        is: "chosen",
        note: `${waits} The message below is that answer and chooses \`${answer}\`: call sync_branch with that \`resolution\`.]`,
      };
}

/** What the user's own words choose, whatever the agent makes of them; null where that is for the agent to say. */
export function chosenIn(folders: Folders, message: string): Resolution | null {
  const asked = readSync(folders);
  if (asked === null || asked.isSetAside) return null;
  const answer = readSyncAnswer(message, conflictOf(folders, asked));
  return answer === "unclear" ? null : answer;
}

/** Asks the same again; the next message is the answer. */
export async function askAgain(folders: Folders, turnId: string): Promise<AgentEvent[]> {
  const asked = readSync(folders);
  if (asked === null) return [];
  await writeSync(folders, { ...asked, askedIn: turnId });
  const { base, conflicts } = asked;
  return [
    ...said("It is not clear from that which version is meant, so nothing has been changed."),
    { type: "clarification", questions: [conflictQuestion(base, conflicts)] },
  ];
}

/** What the user is told at the end of a turn that was to bring the answer and left the sync as it was. */
export async function stillWaiting(
  folders: Folders,
  start: AnswerTurn & { turnId: string },
  endsWithQuestion: boolean,
): Promise<AgentEvent[]> {
  const asked = openIn(folders, start);
  if (asked === null || (!asked.byHand && asked.askedIn === start.turnId)) return [];
  // What is half settled by hand is taken back.
  if (!asked.byHand) await writeSync(folders, { ...asked, isSetAside: true });
  if (endsWithQuestion) return [];
  return said(
    `The conflict with ${asked.base} in ${filesInWords(asked.conflicts)} still waits, and nothing of ${asked.base} has come in. ` +
      "To be asked about it again, run the skill svc:sync-branch.",
  );
}

/** The sync that a turn may settle by the user's answer. */
function openIn(folders: Folders, { tools, skill }: AnswerTurn): SyncRecord | null {
  const isCall = skill?.name === "svc:sync-branch";
  return tools.includes("sync_branch") && !isCall ? readSync(folders) : null;
}

function conflictOf(folders: Folders, { base, conflicts }: SyncRecord): OpenConflict {
  return { base, branch: requireCheckout(folders).branch, conflicts };
}

function said(text: string): AgentEvent[] {
  return [{ type: "text_begin" }, { type: "text", delta: text }, { type: "text_end" }];
}
