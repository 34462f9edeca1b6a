// The rules of adding a project: what a person typed, and what is sent of it.

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
