// A message that may answer the question about a sync's conflicts. A chosen option is binding; free
// text is left to the agent to interpret. If the turn ends without resolving the sync, the user
// gets a reminder that it still waits.
import { findResolution, formatFiles, type Resolution } from "../../../src/checkout/rules/sync.ts";
import type { TurnStart } from "../../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../../folders.ts";
import type { AgentEvent } from "../agent.ts";
import { readSync, type SyncRecord, writeSync } from "./record.ts";

type AnswerTurn = Pick<TurnStart, "answers" | "profile" | "skill">;

/** The note to the agent before a message that may answer the question; null if no sync waits. */
export function findWaitingSyncNote(folders: Folders, start: AnswerTurn): string | null {
  const asked = findOpenSync(folders, start);
  if (asked === null || asked.byHand || asked.isSetAside || !start.answers) return null;
  const waits = `[The sync with ${asked.base} waits for the user's answer about the conflicts in ${formatFiles(asked.conflicts)}.`;
  const chosen = findResolution(start.answers);
  if (chosen !== null)
    return `${waits} The message below is that answer and chooses \`${chosen}\`: call sync_branch with that \`resolution\`.]`;
  return (
    `${waits} If the message below says how to resolve them, call sync_branch with the \`resolution\` that it means. If it leaves ` +
    "open which, call it without one, and the user is asked again. If it is about something else, leave the conflicts as they are and do what the message says.]"
  );
}

/**
 * The resolution to apply: the option that the user chose, otherwise the agent's interpretation of
 * the message.
 */
export function findResolutionToApply(
  folders: Folders,
  answers: TurnStart["answers"],
  understood: Resolution | null,
): Resolution | null {
  if (!answers) return null;
  const isOpen = readSync(folders)?.isSetAside !== true;
  return (isOpen ? findResolution(answers) : null) ?? understood;
}

/** The reminder at the end of a turn that could have resolved the sync and did not. */
export async function listSyncReminders(
  folders: Folders,
  start: AnswerTurn & { turnId: string },
  endsWithQuestion: boolean,
): Promise<AgentEvent[]> {
  const asked = findOpenSync(folders, start);
  if (asked === null || (!asked.byHand && asked.askedIn === start.turnId)) return [];
  // An unfinished merge by hand is aborted.
  if (!asked.byHand) await writeSync(folders, { ...asked, isSetAside: true });
  if (endsWithQuestion) return [];
  return textEvents(
    `The conflict with ${asked.base} in ${formatFiles(asked.conflicts)} still waits, and nothing of ${asked.base} has come in. ` +
      "To get the question again, run the skill svc:sync-branch.",
  );
}

/** The waiting sync that the turn's message may answer. */
function findOpenSync(folders: Folders, { profile, skill }: AnswerTurn): SyncRecord | null {
  const isCall = skill?.name === "svc:sync-branch";
  return profile.tools.includes("sync_branch") && !isCall ? readSync(folders) : null;
}

function textEvents(text: string): AgentEvent[] {
  return [{ type: "text_begin" }, { type: "text", delta: text }, { type: "text_end" }];
}
