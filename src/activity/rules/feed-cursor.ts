// The cursor of a feed: behind which event the next page begins. Clients send back what they got, so that its form may change.

/** The order of a page. */
export type Direction = "newest-first" | "oldest-first";

const version = "1";
const marks: Record<Direction, string> = { "newest-first": "n", "oldest-first": "o" };

/** The cursor of the page behind an event. */
export function cursorBehind(seq: number, direction: Direction): string {
  return btoa(`${version}${marks[direction]}${seq}`).replace(/=+$/, "");
}

/** The place of the event that a page begins behind; null for any other text, and for a cursor of the other direction. */
export function placeOf(cursor: string, direction: Direction): number | null {
  if (!/^[\w+/]{1,40}$/.test(cursor) || cursor.length % 4 === 1) return null;
  const [, seq] = new RegExp(`^${version}${marks[direction]}(\\d{1,15})$`).exec(atob(cursor)) ?? [];
  return seq !== undefined && cursorBehind(Number(seq), direction) === cursor ? Number(seq) : null;
}
