// Which comments the agent has not had yet: those that are open, and new or changed since they
// went.
import type { Schemas } from "@switchyard/client";

/** When a message last passed each comment to the agent, in milliseconds, by the comment's id. */
export type SentTimes = ReadonlyMap<string, number>;
type Comment = Pick<Schemas["ReviewComment"], "id" | "resolved" | "createdAt" | "updatedAt">;
interface Message {
  context?: Schemas["MessageContext"];
  createdAt: string | null;
}

/**
 * When the comments went along with messages. What waits in Up next goes as it then is, so no
 * change comes after it.
 */
export function listSentTimes(messages: readonly Message[], waiting: readonly Message[]): SentTimes {
  const times = new Map<string, number>();
  for (const { context, createdAt } of messages)
    for (const id of context?.diffCommentIds ?? [])
      times.set(id, Math.max(times.get(id) ?? 0, Date.parse(createdAt ?? "") || 0));
  for (const { context } of waiting)
    for (const id of context?.diffCommentIds ?? []) times.set(id, Number.POSITIVE_INFINITY);
  return times;
}

export const isSent = (sent: SentTimes, { id, updatedAt }: Comment): boolean =>
  (sent.get(id) ?? -1) >= Date.parse(updatedAt);

/** The comments to send: those that were not, else all that are open. */
export function listToSend<Of extends Comment>(comments: readonly Of[], sent: SentTimes): Of[] {
  const open = comments.filter(({ resolved }) => !resolved);
  const unsent = open.filter((comment) => !isSent(sent, comment));
  return unsent.length > 0 ? unsent : open;
}

/** When the oldest open comment was made: no earlier message has one. Null if none is open. */
export function findOldest(comments: readonly Comment[]): string | null {
  const open = comments.filter(({ resolved }) => !resolved);
  return open.map(({ createdAt }) => createdAt).sort()[0] ?? null;
}

/** True if messages, oldest first, begin before this time. */
export function reachesBack(messages: readonly Pick<Message, "createdAt">[], time: string): boolean {
  const first = messages.find(({ createdAt }) => createdAt !== null);
  return first?.createdAt != null && Date.parse(first.createdAt) < Date.parse(time);
}

/** The words of the button that sends comments. Without a connection, what was sent waits. */
export function nameSend(count: number, areSent: boolean, send: { isPending: boolean; isWaiting: boolean }): string {
  if (send.isWaiting) return "Waiting…";
  if (send.isPending) return "Sending…";
  const words = `${count} ${count === 1 ? "comment" : "comments"}`;
  return areSent ? `Send ${words} again` : `Send ${words} to the agent`;
}

interface SendState {
  /** True while they wait for the connection. */
  isWaiting: boolean;
  /** True while the agent works. */
  isRunning: boolean;
  /** True if the agent has had all comments that are open. */
  areSent: boolean;
  /** What became of the comments that were sent from here. */
  outcome: string | null;
}

/** Describes what became of the comments, or will; null where there is nothing to know. */
export function describeSend({ isWaiting, isRunning, areSent, outcome }: SendState): string | null {
  if (isWaiting) return "They wait for the connection, and are then sent.";
  if (isRunning) return outcome ?? "A turn runs: they will wait in Up next.";
  return areSent ? "The agent has had them." : null;
}
