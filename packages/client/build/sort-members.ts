// The order of the members of the types: what is alike is near, so that the packed declarations are
// smaller.

export interface Member {
  of: "Schemas" | "Operations";
  text: string;
}

/** How far back gzip finds what it has seen, in characters, less the member that is added. */
const windowCharacters = 31_000;
/** A run of this many words and signs is worth finding again. */
const runLength = 10;
/** Below 1, a long member with as many known runs is chosen before a short one. */
const lengthPower = 0.8;

/** The runs of words and signs of a text. */
function listRuns(text: string): Set<string> {
  const parts = text.match(/\w+|\W/g) ?? [];
  return new Set(parts.map((_, at) => parts.slice(at, at + runLength).join("")));
}

/**
 * Sorts the members: each shares more with those before it than any of the rest, for its length.
 */
export function sortBySimilarity(members: readonly Member[]): Member[] {
  const rest = members.map((member) => ({ member, runs: [...listRuns(member.text)] }));
  const sorted: typeof rest = [];
  while (rest.length > 0) {
    const recent = listRecentRuns(sorted);
    const ratings = rest.map(
      ({ member, runs }) => runs.filter((run) => recent.has(run)).length / member.text.length ** lengthPower,
    );
    sorted.push(...rest.splice(ratings.indexOf(Math.max(...ratings)), 1));
  }
  return sorted.map(({ member }) => member);
}

/** The runs of the newest members, as far back as gzip sees. */
function listRecentRuns(sorted: readonly { member: Member; runs: string[] }[]): Set<string> {
  const recent = new Set<string>();
  let seen = 0;
  for (const { member, runs } of sorted.toReversed()) {
    if (seen > windowCharacters) break;
    seen += member.text.length;
    for (const run of runs) recent.add(run);
  }
  return recent;
}
