// The known name that somebody most likely meant by a misspelled one.

/** Longer names are unlikely typos, and slow to compare. */
const comparedCharacters = 40;

/** Finds the most similar known name; null if none is similar enough. */
export function findNearestName(name: string, known: readonly string[]): string | null {
  if (name.length > comparedCharacters) return null;
  const most = Math.min(2, Math.floor(name.length / 3));
  let nearest: { name: string; distance: number } | null = null;
  for (const candidate of known) {
    const distance = getDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance <= most && distance < (nearest?.distance ?? most + 1)) nearest = { name: candidate, distance };
  }
  return nearest?.name ?? null;
}

/** The edit distance: insertions, deletions, replacements and swaps of adjacent letters. */
function getDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(
        Math.min(
          (row[j - 1] ?? 0) + 1,
          (last[j] ?? 0) + 1,
          (last[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped && i > 1 && j > 1 ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[other.length] ?? 0;
}
