// What people choose from at the code host, narrowed by a search: branches and reviewers of a
// project, and the repository of a new one.
import { choicesMax } from "./limits.ts";

/**
 * Finds the choices with the text in one of their words, ignoring case. Exact ones come first, then
 * those that begin with it. `compare` orders equally good ones; by default, their first word does.
 */
export function listChoices<Choice>(
  all: readonly Choice[],
  search: string,
  getWords: (choice: Choice) => readonly (string | null)[],
  compare = (one: Choice, other: Choice): number => ((getWords(one)[0] ?? "") < (getWords(other)[0] ?? "") ? -1 : 1),
): Choice[] {
  const wanted = search.trim().toLowerCase();
  const rank = (choice: Choice) => {
    const words = getWords(choice).flatMap((word) => (word === null ? [] : [word.toLowerCase()]));
    if (words.includes(wanted)) return 0;
    if (words.some((word) => word.startsWith(wanted))) return 1;
    return words.some((word) => word.includes(wanted)) ? 2 : null;
  };
  const ranked = all.flatMap((choice) => {
    const found = wanted === "" ? 1 : rank(choice);
    return found === null ? [] : [{ choice, found }];
  });
  return ranked
    .sort((one, other) => one.found - other.found || compare(one.choice, other.choice))
    .slice(0, choicesMax)
    .map(({ choice }) => choice);
}

/** The branches of a repository, its default branch first. */
export function listBranchChoices(names: readonly string[], defaultBranch: string, search: string) {
  const branches = names.map((name) => ({ name, isDefault: name === defaultBranch }));
  const found = listChoices(branches, search, ({ name }) => [name]);
  const isWanted = defaultBranch.toLowerCase().includes(search.trim().toLowerCase());
  const rest = found.filter(({ isDefault }) => !isDefault);
  return (isWanted ? [{ name: defaultBranch, isDefault: true }, ...rest] : rest).slice(0, choicesMax);
}

/** A repository that a person and the service's app both reach. */
export interface ReachableRepository {
  /** `owner/name`. */
  repository: string;
  defaultBranch: string;
  isPrivate: boolean;
  /** False for an archived repository, or if the person may only read. */
  mayPush: boolean;
  /** Milliseconds since the epoch; null before the first push. */
  pushedAt: number | null;
}

/** The repositories that a search finds, those with the newest push first. */
export function listRepositoryChoices(all: readonly ReachableRepository[], search: string): ReachableRepository[] {
  const words = ({ repository }: ReachableRepository) => [repository, repository.split("/")[1] ?? ""];
  return listChoices(all, search, words, (one, other) => (other.pushedAt ?? 0) - (one.pushedAt ?? 0));
}
