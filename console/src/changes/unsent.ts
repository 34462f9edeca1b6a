// Which comments the agent has not had yet: those that are open, and new or changed since they
// went.
import type { Schemas } from "@switchyard/client";

/** When each comment that was sent had last been changed, by its id. */
export type SentMarks = Readonly<Record<string, string>>;
type Comment = Pick<Schemas["ReviewComment"], "id" | "resolved" | "updatedAt">;

export const isSent = (sent: SentMarks, { id, updatedAt }: Comment): boolean =>
  Object.hasOwn(sent, id) && sent[id] === updatedAt;

/** The comments to send: those that were not, else all that are open. */
export function listToSend<Of extends Comment>(comments: readonly Of[], sent: SentMarks): Of[] {
  const open = comments.filter(({ resolved }) => !resolved);
  const unsent = open.filter((comment) => !isSent(sent, comment));
  return unsent.length > 0 ? unsent : open;
}

export const markSent = (sent: SentMarks, comments: readonly Comment[]): SentMarks => ({
  ...sent,
  ...Object.fromEntries(comments.map(({ id, updatedAt }) => [id, updatedAt])),
});
