// The files of a skill as they are edited.
import type { Schemas } from "@switchyard/client";

export type SkillFile = Schemas["SkillFile"];

export const mainFile = "SKILL.md";
export const filesMax = 50;

/** What a new skill begins with. */
export const newSkill: readonly SkillFile[] = [
  {
    path: mainFile,
    content: `---
name: my-skill
description: What it does, and when an agent should use it.
---

Write here what the agent should do, step by step.
`,
  },
];

/** Files that were kept as a text; null for any other text. */
export function parseFiles(text: string): SkillFile[] | null {
  try {
    const files: unknown = JSON.parse(text);
    return Array.isArray(files) && files.length > 0 ? files : null;
  } catch {
    return null;
  }
}

/** The refusal of a skill with the paths of its files, which the service names by their places. */
export function describeSkillRefusal(message: string, files: readonly SkillFile[]): string {
  const [, place, part, rest = ""] = /^files\.(\d+)(?:\.(path|content))? (.+)$/s.exec(message) ?? [];
  const path = place === undefined ? undefined : files[Number(place)]?.path;
  if (path === undefined) return message.replace(/^files /, "The files ");
  const start = `has a mistake in ${path}: `;
  if (rest.startsWith(start)) return `${path} has a mistake: ${rest.slice(start.length)}`;
  return part === "path" ? `The path “${path}” ${rest}` : `${path} ${rest}`;
}

/** The files after a change of one of them. */
export const changeFile = (files: readonly SkillFile[], at: number, fields: Partial<SkillFile>): SkillFile[] =>
  files.map((file, index) => (index === at ? { ...file, ...fields } : file));

export const removeFile = (files: readonly SkillFile[], at: number): SkillFile[] =>
  files.filter((_, index) => index !== at);

/** A path that no file has. */
export function nameNewFile(files: readonly SkillFile[]): string {
  const paths = new Set(files.map(({ path }) => path));
  for (let count = 1; ; count += 1) {
    const path = count === 1 ? "notes.md" : `notes-${count}.md`;
    if (!paths.has(path)) return path;
  }
}
