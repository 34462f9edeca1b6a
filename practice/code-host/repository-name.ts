// Repository names of the form `owner/repo`. They are folder names too, so they must not contain
// path traversal.

const part = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** True for `owner/repo` with plain names on both sides. */
export function isRepositoryName(name: string): boolean {
  const parts = name.split("/");
  return parts.length === 2 && parts.every((each) => part.test(each) && !each.endsWith(".git"));
}

/** Parses a path such as `/owner/repo.git/info/refs`; null for any other path. */
export function parseGitPath(path: string): { name: string; service: string } | null {
  const [, name, service] =
    /^\/([^/]+\/[^/]+?)(?:\.git)?(\/(?:info\/refs|git-upload-pack|git-receive-pack))$/.exec(path) ?? [];
  if (name === undefined || service === undefined || !isRepositoryName(name)) return null;
  return { name, service };
}
