// The comment at the code host that answers on an issue or a pull request: the state of the session
// with its links, and the answer to the trigger's message if the trigger says so.
import { isUnfinished } from "../../chat/rules/turn.ts";
import type { SessionEffect } from "../../rules/effect.ts";
import { triggerAnswerCharacters } from "../../rules/limits.ts";
import { toFirstCodePoints } from "../../rules/text.ts";
import type { SessionState } from "../../session/rules/session.ts";

/** The state of a session, in words for its comment. */
export function getStateWord({ session, chat }: SessionState): string {
  if (isUnfinished(chat.turn)) return "Working on it";
  if (session.status === "backlog") return "Waits in the Backlog";
  if (session.status === "archived") return "Archived";
  switch (chat.turn?.status) {
    case "awaiting_response":
      return "Has a question";
    case "failed":
      return "Failed";
    case "cancelled":
      return "Stopped";
    default:
      return session.automatic?.isUsedUp && session.prReport?.verdict === "failed"
        ? "The checks still fail. Please look, and write what to do"
        : "Done";
  }
}

/** The trigger and the page of a message, for which one comment has the answer. */
export const createSenderKey = ({ triggerId, url }: { triggerId: string; url: string | null }): string =>
  `${triggerId} ${url}`;

/** What a project's own comment contains, so that it is found again. */
export const createMarker = (projectId: string) => `<!-- switchyard ${projectId} -->`;

/**
 * The text of the comment on the issue or the pull request of this number. `slug` names the public
 * link of the preview.
 */
export function formatAnswer(
  state: SessionState,
  { publicUrl, text, slug, number }: { publicUrl: string; text: string | null; slug: string | null; number: number },
): string {
  const { id, projectId, prNumber, prUrl } = state.session;
  const shown = toFirstCodePoints(text ?? "", triggerAnswerCharacters);
  // An answer of the agent notifies nobody.
  const silent = shown.replace(/@(?=\w)/g, "@\u200b");
  const preview = slug === null ? "" : `, [open the preview](${publicUrl}/shared/${slug})`;
  const pull = prUrl === null || prNumber === number ? "" : `, [pull request #${prNumber}](${prUrl})`;
  const line = `**${getStateWord(state)}**: [open the session](${publicUrl}/s/${id})${pull}${preview}`;
  return [createMarker(projectId), line, silent].filter((part) => part.trim() !== "").join("\n\n");
}

const getShown = (state: SessionState) =>
  JSON.stringify([state.session.status, state.session.prUrl, state.chat.turn?.id, getStateWord(state)]);

/** Has the comments written again, if the session has some and they show something else now. */
export function listAnswerReminders(
  before: SessionState | null,
  after: SessionState | null,
  now: number,
): SessionEffect[] {
  if (before === null || after === null || before === after || !after.session.automatic?.answers) return [];
  const isNew = !before.session.automatic?.answers;
  return isNew || getShown(before) !== getShown(after) ? [{ type: "remind", name: "answer-places", at: now }] : [];
}
