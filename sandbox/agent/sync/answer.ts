// A message that comes while a sync waits for somebody to decide about its conflicts. An option that it chose is told to the agent and holds
// whatever the agent makes of it; other words are the agent's to read. A turn that leaves the sync as it is ends with a word that it still waits.
import { filesInWords, type Resolution, resolutionChosen } from "../../../src/rules/branch/sync-conflict.ts";
import type { TurnStart } from "../../../src/sandbox/protocol.ts";
import type { Folders } from "../../folders.ts";
import type { AgentEvent } from "../agent.ts";
import { readSync, type SyncRecord, writeSync } from "./record.ts";

type AnswerTurn = Pick<TurnStart, "answers" | "profile" | "skill">;

/** What the agent of a turn reads before a message that may answer the question of a sync; null where none waits for it. */
export function noteOfWaitingSync(folders: Folders, start: AnswerTurn): string | null {
  const asked = openIn(folders, start);
  if (asked === null || asked.byHand || asked.isSetAside || !start.answers) return null;
  const waits = `[The sync with ${asked.base} waits for the user's answer about the conflicts in ${filesInWords(asked.conflicts)}.`;
  const chosen = resolutionChosen(start.answers);
  if (chosen !== null)
    return `${waits} The message below is that answer and chooses \`${chosen}\`: call sync_branch with that \`resolution\`.]`;
  return (
    `${waits} If the message below says what is to become of them, call sync_branch with the \`resolution\` that it means; where it leaves ` +
    "open which, call it without one, and the user is asked again. If it is about something else, leave the conflicts alone and do what it says.]"
  );
}

/** The resolution that counts: what the user chose, else what the agent understood of a message that may be the answer. */
export function resolutionThatCounts(
  folders: Folders,
  answers: TurnStart["answers"],
  understood: Resolution | null,
): Resolution | null {
  if (!answers) return null;
  const isOpen = readSync(folders)?.isSetAside !== true;
  return (isOpen ? resolutionChosen(answers) : null) ?? understood;
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
function openIn(folders: Folders, { profile, skill }: AnswerTurn): SyncRecord | null {
  const isCall = skill?.name === "svc:sync-branch";
  return profile.tools.includes("sync_branch") && !isCall ? readSync(folders) : null;
}

function said(text: string): AgentEvent[] {
  return [{ type: "text_begin" }, { type: "text", delta: text }, { type: "text_end" }];
}
