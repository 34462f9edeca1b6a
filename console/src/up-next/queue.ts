// Up next as it is shown: what was read, kept up to date by events, which have no texts.
import type { Schemas } from "@switchyard/client";

type Queue = Schemas["Queue"];
type QueueEvent = Schemas["QueueEvent"];

/** True if an event names a message, a version of one, or a steer, that was not read. */
export function needsRead(known: Queue | undefined, event: QueueEvent): boolean {
  if (!known) return true;
  const isNew = event.messages.some(
    ({ id, version }) => !known.messages.some((one) => one.id === id && one.version >= version),
  );
  return isNew || event.steers?.some((id) => !known.steers?.some(({ steerId }) => steerId === id)) === true;
}

/** What an event names: the messages in its order, its pause, and the steers. */
export function applyQueueEvent(known: Queue, event: QueueEvent): Queue {
  const messages = event.messages.flatMap(({ id, position, editingBy }) => {
    const message = known.messages.find((one) => one.id === id);
    return message ? [{ ...message, position, editingBy }] : [];
  });
  const steers = known.steers?.filter(({ steerId }) => event.steers?.includes(steerId)) ?? [];
  return { messages, paused: event.paused, ...(steers.length > 0 && { steers }) };
}

/** The queue after a message was moved, before the service says so. */
export function moveMessage(known: Queue, id: string, toIndex: number): Queue {
  const message = known.messages.find((one) => one.id === id);
  if (!message) return known;
  const rest = known.messages.filter((one) => one.id !== id);
  const messages = rest.toSpliced(toIndex, 0, message).map((one, position) => ({ ...one, position }));
  return { ...known, messages };
}

/** Where a row is in its list, in pixels. */
export interface RowPlace {
  top: number;
  height: number;
}

/**
 * The place of a row that was dragged so far from its own: it passes another one at the middle of
 * that. The row stays within the list.
 */
export function findPlace(rows: readonly RowPlace[], from: number, by: number): { to: number; offset: number } {
  const [own, first, last] = [rows[from], rows[0], rows.at(-1)];
  if (!own || !first || !last) return { to: from, offset: 0 };
  const offset = Math.min(Math.max(by, first.top - own.top), last.top + last.height - own.top - own.height);
  const top = own.top + offset;
  const passed = (row: RowPlace, at: number) =>
    at > from && top + own.height > row.top + row.height / 2 ? 1 : at < from && top < row.top + row.height / 2 ? -1 : 0;
  return { to: rows.reduce((to, row, at) => to + passed(row, at), from), offset };
}

/** How far a row moves to another one's place. */
export function sumBetween(rows: readonly RowPlace[], from: number, to: number): number {
  const passed = from < to ? rows.slice(from + 1, to + 1) : rows.slice(to, from);
  return passed.reduce((sum, { height }) => sum + height, 0) * Math.sign(to - from);
}

export function withoutMessage(known: Queue, id: string): Queue {
  return { ...known, messages: known.messages.filter((one) => one.id !== id) };
}

export function withContent(known: Queue, id: string, content: string): Queue {
  return { ...known, messages: known.messages.map((one) => (one.id === id ? { ...one, content } : one)) };
}

const reasons: Record<Schemas["Pause"]["reason"], string> = {
  failed: "Paused, because the last turn failed.",
  cancelled: "Paused, because the turn was stopped.",
  awaiting_response: "Paused until the question is answered.",
  under_review: "Paused while the session is under review.",
};

export const describePause = ({ reason }: Schemas["Pause"]): string => reasons[reason] ?? "Paused.";

/**
 * Says for the person who reads a message that somebody is editing it on another screen; null if
 * nobody is. The name of its author is shown beside this.
 */
export function describeEditor(
  { author, editingBy }: Pick<Schemas["QueuedMessage"], "author" | "editingBy">,
  userId: string | null,
  now: number,
): string | null {
  if (!editingBy || editingBy.userId === userId || Date.parse(editingBy.expiresAt) <= now) return null;
  return "userId" in author && author.userId === editingBy.userId ? "is editing" : "Somebody is editing";
}

/** Who wrote a message, for the person who reads it. */
export function nameAuthor(author: Schemas["Author"], userId: string | null): string {
  if ("userId" in author) return author.userId === userId ? "you" : author.name;
  if (author.kind === "trigger") return `the trigger ${author.name}`;
  if (author.kind === "relay" && author.sender) return `${author.sender.name}, by a chat tool`;
  const names = { cron: "a cron", session: "another session", relay: "a chat tool", service: "Switchyard" };
  return names[author.kind];
}
