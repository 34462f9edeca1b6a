// One line of printable text, made of what somebody wrote.

/** White space, characters that nothing shows, and those that turn the direction of what follows. */
const unprintable = /[\s\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]+/gu;

/** Puts one space in the place of each run of unprintable characters. */
export function printableLine(text: string): string {
  return text.replace(unprintable, " ").trim();
}
