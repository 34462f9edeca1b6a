// What a person types into messages that wait Up next of a Deploy Chat, as the browser keeps it.
import { joinTexts, type QueueEdit } from "../composer/draft.ts";

export const parseEdits = (kept: string): QueueEdit[] => (kept === "" ? [] : JSON.parse(kept));

export const formatEdits = (edits: readonly QueueEdit[]): string => (edits.length === 0 ? "" : JSON.stringify(edits));

/** The edits with another one of a message, or with none. */
export const withEdit = (edits: readonly QueueEdit[], id: string, edit: QueueEdit | null): QueueEdit[] => [
  ...edits.filter((one) => one.id !== id),
  ...(edit ? [edit] : []),
];

/** The edits of messages that still wait, and as one text what was typed into those that left. */
export function takeLeft(
  edits: readonly QueueEdit[],
  messages: readonly { id: string }[],
): { edits: QueueEdit[]; text: string } {
  const ids = new Set(messages.map(({ id }) => id));
  const changed = edits.filter(({ id, text, original }) => !ids.has(id) && text !== original);
  return { edits: edits.filter(({ id }) => ids.has(id)), text: changed.map(({ text }) => text).reduce(joinTexts, "") };
}
