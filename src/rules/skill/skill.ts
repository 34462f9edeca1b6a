// A skill: instructions that an agent follows when a message calls them by name. The factory's come with the service, a project's own
// lie in its checkout as folders with a SKILL.md.
import { readFrontMatter } from "./front-matter.ts";

export const skillSources = ["factory", "project", "workspace", "personal"] as const;
export type SkillSource = (typeof skillSources)[number];

/** A skill as lists show it. */
export interface SkillListing {
  name: string;
  description: string;
  /** What may follow its name; null for nothing in particular. */
  argumentHint: string | null;
}

/** What a SKILL.md says. */
export interface SkillFile extends SkillListing {
  instructions: string;
}

const nameCharactersMax = 64;
const descriptionCharactersMax = 1_024;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Reads a SKILL.md that is not the factory's. Null for one without a kebab-case name, a description or instructions. */
export function readSkillFile(file: string): SkillFile | null {
  const read = readSkill(file);
  return read && kebabCase.test(read.name) && read.name.length <= nameCharactersMax ? read : null;
}

/** Reads a SKILL.md, whatever it calls itself. */
export function readSkill(file: string): SkillFile | null {
  const matter = readFrontMatter(file);
  if (matter === null) return null;
  const { name = "", description = "", "argument-hint": hint = "" } = matter.fields;
  if (name === "" || description === "" || matter.body === "") return null;
  if (description.length > descriptionCharactersMax || hint.length > descriptionCharactersMax) return null;
  return { name, description, argumentHint: hint === "" ? null : hint, instructions: matter.body };
}
