// A repository's name at the forge: `owner/repo`. It is a folder's name too, so it can lead nowhere else.

const part = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** True for `owner/repo` with plain names on both sides. */
export function isRepositoryName(name: string): boolean {
  const parts = name.split("/");
  return parts.length === 2 && parts.every((each) => part.test(each) && !each.endsWith(".git"));
}

/** The repository and what is asked of it in a path such as `/owner/repo.git/info/refs`; null for any other path. */
export function repositoryInPath(path: string): { name: string; service: string } | null {
  const [, name, service] =
    /^\/([^/]+\/[^/]+?)(?:\.git)?(\/(?:info\/refs|git-upload-pack|git-receive-pack))$/.exec(path) ?? [];
  if (name === undefined || service === undefined || !isRepositoryName(name)) return null;
  return { name, service };
}
