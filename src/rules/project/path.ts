// Paths within a project.

/** True for a relative path that leads nowhere outside of the project's root, as far as its text can tell. */
export function isWithinProject(path: string): boolean {
  return !path.startsWith("/") && !path.includes("\0") && !path.split("/").includes("..");
}
