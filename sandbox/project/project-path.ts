// Which paths a file call may name: one file inside the project, by a relative path that no link leads out of, and nothing of git's own.
import { type FileHandle, readlink, realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { filePathCharacters } from "../../src/rules/limits.ts";
import { refusal } from "../http/refusal.ts";

/** Refuses a path that by its words alone names nothing of the project's; answers its parts. */
export function checkProjectPath(path: string): string[] {
  const parts = path.split("/");
  if (path === "" || path.length > filePathCharacters || path.includes("\0"))
    throw refusal("BAD_CALL", "The path is not one of a file.");
  if (isAbsolute(path) || parts.includes("..") || isGitsOwn(parts)) throw outside();
  return parts;
}

/** The real, absolute path of an existing file in the project. */
export async function resolveInProject(project: string, path: string): Promise<string> {
  const parts = checkProjectPath(path);
  const root = await realpath(project).catch(() => {
    throw refusal("NO_CHECKOUT", "The sandbox holds no checkout yet.");
  });
  const real = await realpath(join(root, ...parts)).catch((error: unknown) => {
    throw missing(path, error);
  });
  requireWithin(root, real);
  return real;
}

/**
 * Refuses what was opened by a real path and lies outside by now: a link may have taken the place of a folder in between. Answers a path
 * that leads to what is open, whatever takes its place.
 */
export async function requireOpenedInProject(project: string, opened: FileHandle, real: string): Promise<string> {
  const held = `/proc/self/fd/${opened.fd}`;
  // A machine without these tells nothing of what it has opened.
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
const outside = () => refusal("OUTSIDE_PROJECT", "The path leads outside the project's files.");

function missing(path: string, error: unknown): Error {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ELOOP") return outside();
  return refusal("NOT_FOUND", `There is no file ${path}.`);
}
