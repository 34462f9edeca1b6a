// What people choose from at the code host: branches and reviewers of a project, narrowed by a
// search.
import { choicesMax } from "./limits.ts";

/** Finds the choices with the text in one of their words, ignoring case. Exact ones come first. */
export function listChoices<Choice>(
  all: readonly Choice[],
  search: string,
  getWords: (choice: Choice) => readonly (string | null)[],
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
    return found === null ? [] : [{ choice, found, word: getWords(choice)[0] ?? "" }];
  });
  return ranked
    .sort((one, other) => one.found - other.found || (one.word < other.word ? -1 : 1))
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
