// Which paths a file call may name: one file inside the project, by a relative path that no link leads out of, and nothing of git's own.
import { realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { filePathCharacters } from "../src/rules/limits.ts";
import { refusal } from "./refusal.ts";

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
  if (!real.startsWith(`${root}${sep}`)) throw outside();
  if (isGitsOwn(real.slice(root.length + 1).split(sep))) throw outside();
  return real;
}

const isGitsOwn = (parts: string[]) => parts.some((part) => part.toLowerCase() === ".git");
const outside = () => refusal("OUTSIDE_PROJECT", "The path leads outside the project's files.");

function missing(path: string, error: unknown): Error {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ELOOP") return outside();
  return refusal("NOT_FOUND", `There is no file ${path}.`);
}
