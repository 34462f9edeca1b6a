// The files of a skill while a person writes them: the first text, paths, and what is wrong.
import type { Schemas } from "@switchyard/client";

export type SkillFile = Schemas["SkillFile"];

export const mainFile = "SKILL.md";

const fileBytesMax = 100 * 1_024;
const totalBytesMax = 1_024 * 1_024;
const filesMax = 50;

/** What a new skill begins with. */
export const newSkill: readonly SkillFile[] = [
  {
    path: mainFile,
    content: `---
name: my-skill
description: What it does, and when an agent should use it.
---

Write here what the agent does, step by step.
`,
  },
];

/** The files with `SKILL.md` first, the others by path. */
export const sortFiles = (files: readonly SkillFile[]): SkillFile[] =>
  files.toSorted(
    (one, other) =>
      Number(other.path === mainFile) - Number(one.path === mainFile) || one.path.localeCompare(other.path, "en"),
  );

/** A path that none of the files has. */
export function makePath(files: readonly SkillFile[], wanted = "notes.md"): string {
  const isFree = (path: string) => !files.some((file) => file.path === path);
  const [, start = wanted, end = ""] = /^(.+?)(\.[^./]*)?$/.exec(wanted) ?? [];
  for (let count = 1; ; count++) {
    const path = count === 1 ? wanted : `${start}-${count}${end}`;
    if (isFree(path)) return path;
  }
}

/**
 * The files with others added: another `SKILL.md` replaces the first, and the others get paths that
 * are free.
 */
export function addFiles(files: readonly SkillFile[], added: readonly SkillFile[]): SkillFile[] {
  const all = [...files];
  for (const { path, content } of added) {
    const main = path === mainFile ? all.findIndex((file) => file.path === mainFile) : -1;
    if (main >= 0) all[main] = { path, content };
    else all.push({ path: makePath(all, path), content });
  }
  return all;
}

const countBytes = (text: string): number => new TextEncoder().encode(text).length;

/** What is wrong with the files as a whole; null for nothing. The service looks at their texts. */
export function findProblem(files: readonly SkillFile[]): string | null {
  const paths = files.map(({ path }) => path);
  const twice = paths.find((path, at) => paths.indexOf(path) !== at);
  const large = files.find(({ content }) => countBytes(content) > fileBytesMax);
  const binary = files.find(({ content }) => content.includes("\0"));
  if (binary) return `${binary.path} is not text.`;
  if (paths.some((path) => path.trim() === "")) return "A file has no path.";
  if (twice !== undefined) return `Two files have the path ${twice}.`;
  if (files.length > filesMax) return `A skill has at most ${filesMax} files.`;
  if (large) return `${large.path} is larger than 100 KB.`;
  const total = files.reduce((bytes, { content }) => bytes + countBytes(content), 0);
  return total > totalBytesMax ? "The files are larger than 1 MB together." : null;
}

/** True where two lists have the same files. */
export const isSame = (files: readonly SkillFile[], others: readonly SkillFile[]): boolean =>
  JSON.stringify(sortFiles(files)) === JSON.stringify(sortFiles(others));

/** Files that were kept as text; null where there are none. */
export function parseKept(text: string): SkillFile[] | null {
  try {
    const files: unknown = JSON.parse(text);
    const isFile = (file: unknown): file is SkillFile =>
      typeof file === "object" && file !== null && "path" in file && "content" in file;
    return Array.isArray(files) && files.length > 0 && files.every(isFile) ? files : null;
  } catch {
    return null;
  }
}
