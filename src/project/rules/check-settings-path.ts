// Paths within a project.

/** True for a relative path that does not leave the project's root. Symbolic links are not resolved. */
export function isWithinProject(path: string): boolean {
  return !path.startsWith("/") && !path.includes("\0") && !path.split("/").includes("..");
}
