// Validates the paths of file calls: a relative path to a file inside the project, outside of
// `.git`, that no link leads out of the project.
import { type FileHandle, readlink, realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { filePathCharacters } from "../../src/rules/limits.ts";
import { hasMoreCodePoints } from "../../src/rules/text.ts";
import { createRefusal } from "../http/refusal.ts";

/** Refuses a path that is invalid whatever the disk contains. Returns its parts. */
export function checkProjectPath(path: string): string[] {
  const parts = path.split("/");
  if (path === "" || hasMoreCodePoints(path, filePathCharacters) || path.includes("\0"))
    throw createRefusal("BAD_CALL", "The path is empty, too long, or holds a NUL. Give the path of a file.");
  if (isAbsolute(path) || parts.includes("..") || isGitsOwn(parts)) throw outside();
  return parts;
}

/** Resolves the real path of an existing file in the project. */
export async function resolveInProject(project: string, path: string): Promise<string> {
  const parts = checkProjectPath(path);
  const root = await realpath(project).catch(() => {
    throw createRefusal("NO_CHECKOUT", "The sandbox holds no checkout yet.");
  });
  const real = await realpath(join(root, ...parts)).catch((error: unknown) => {
    throw missing(path, error);
  });
  requireWithin(root, real);
  return real;
}

/**
 * Refuses an opened file that lies outside of the project: a link may have replaced a folder after
 * the path was resolved. Returns a path of the open file itself, which no later link can redirect.
 */
export async function requireOpenedInProject(project: string, opened: FileHandle, real: string): Promise<string> {
  const held = `/proc/self/fd/${opened.fd}`;
  // A machine without /proc cannot report the path of an open file.
  const at = await readlink(held).catch(() => null);
  if (at === null) return real;
  const root = await realpath(project);
  if (at !== root) requireWithin(root, at);
  return held;
}

function requireWithin(root: string, real: string): void {
  if (!real.startsWith(`${root}${sep}`)) throw outside();
  if (isGitsOwn(real.slice(root.length + 1).split(sep))) throw outside();
}

const isGitsOwn = (parts: string[]) => parts.some((part) => part.toLowerCase() === ".git");
const outside = () => createRefusal("OUTSIDE_PROJECT", "The path leads outside the project's files.");

function missing(path: string, error: unknown): Error {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ELOOP") return outside();
  return createRefusal("NOT_FOUND", `There is no file ${path}.`);
}
