// Saved skills: personal skills, and those of a workspace (Part 2, "Personal skill rules").
import type { TextFile } from "./skill-files.ts";

export const skillOwnerTypes = ["member", "workspace"] as const;

/** The name of a skill that is not built in: kebab-case. */
export const customSkillName = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** The owner of a saved skill: a person, in every workspace, or a workspace. */
export interface SkillOwner {
  type: (typeof skillOwnerTypes)[number];
  id: string;
}

/** The input of a skill's hash: its files, independent of their order. */
export function formatSkillContent(files: readonly TextFile[]): string {
  const pairs = files.map(({ path, content }) => [path, content] as const);
  return JSON.stringify(pairs.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other))));
}
