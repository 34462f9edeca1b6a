// The rules of adding a project: what a person typed, what that finds, and what is sent of it.

const owner = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const name = /^[A-Za-z0-9._-]{1,100}$/;

/** The `owner/name` in a text, which may be an address of the code host; null if it has none. */
export function readRepository(text: string): { repository: string; name: string } | null {
  const path = text
    .trim()
    .replace(/^(https?:\/\/|ssh:\/\/git@)[^/]+\//, "")
    .replace(/^git@[^:]+:/, "")
    .replace(/[/?#]*$/, "")
    .replace(/\.git$/i, "");
  const [before = "", after = "", ...rest] = path.split("/");
  if (rest.length > 0 || !owner.test(before) || !name.test(after) || /^\.{1,2}$/.test(after)) return null;
  return { repository: `${before}/${after}`, name: after };
}

/** What to search for: the name in an address, otherwise the text. */
export const toSearch = (typed: string): string => readRepository(typed)?.repository ?? typed.trim();

/** The choices with a text in their names, ignoring case, in their order. */
export function findChoices<Choice extends { repository: string }>(choices: readonly Choice[], search: string) {
  return choices.filter(({ repository }) => repository.toLowerCase().includes(search.toLowerCase()));
}

/** The choice with this name, ignoring case. */
export function findChosen<Choice extends { repository: string }>(choices: readonly Choice[], typed: string) {
  return choices.find(({ repository }) => repository.toLowerCase() === toSearch(typed).toLowerCase());
}

/** The choice that an arrow key leads to; -1 is the text itself, between the last and the first. */
export function stepChoice(at: number, step: 1 | -1, count: number): number {
  return ((at + 1 + step + count + 1) % (count + 1)) - 1;
}

interface FoundChoices {
  /** How many choices are shown, and how many there are without the search. */
  shown: number;
  total: number;
  typed: string;
}

/** What a screen reader says about the choices, and what everybody reads below the field. */
export function describeChoices({ shown, total, typed }: FoundChoices): string {
  if (typed.trim() === "")
    return shown < total ? `The newest ${shown} of ${total}. Type to find others.` : `${count(total)} to choose from.`;
  if (shown > 0) return `${count(shown)} found.`;
  return readRepository(typed) === null
    ? "None is called that. Write it as owner/name, or paste its address."
    : "It is not in the list. If the app is installed for it, you can add it.";
}

const count = (repositories: number) => (repositories === 1 ? "1 repository" : `${repositories} repositories`);

interface TypedProject {
  workspaceId: string | undefined;
  repository: string;
  name: string;
  targetBranch: string;
}

/** The new project as it is sent; null while something is missing. */
export function toNewProject({ workspaceId, repository: typed, name: typedName, targetBranch }: TypedProject) {
  const found = readRepository(typed);
  if (found === null || workspaceId === undefined) return null;
  return {
    workspaceId,
    repository: found.repository,
    name: typedName.trim() || found.name,
    ...(targetBranch.trim() ? { targetBranch: targetBranch.trim() } : {}),
  };
}
