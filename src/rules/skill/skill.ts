// A skill: instructions that an agent follows when a message calls them by name. Factory skills come with the service. A project's own skills
// are folders with a SKILL.md in its checkout.
import { readFrontMatter } from "./front-matter.ts";

export const skillSources = ["factory", "project", "workspace", "personal"] as const;
export type SkillSource = (typeof skillSources)[number];

/** A skill as lists show it. */
export interface SkillListing {
  name: string;
  description: string;
  /** A hint at what may follow its name; null without one. */
  argumentHint: string | null;
}

/** A parsed SKILL.md. */
export interface SkillFile extends SkillListing {
  instructions: string;
}

const nameCharactersMax = 64;
const descriptionCharactersMax = 1_024;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Parses a project's SKILL.md. Null without a kebab-case name, a description or instructions. */
export function readSkillFile(file: string): SkillFile | null {
  const read = readSkill(file);
  return read && kebabCase.test(read.name) && read.name.length <= nameCharactersMax ? read : null;
}

/** Parses any SKILL.md, whose name may have a prefix such as `svc:`. */
export function readSkill(file: string): SkillFile | null {
  const matter = readFrontMatter(file);
  if (matter === null) return null;
  const { name = "", description = "", "argument-hint": hint = "" } = matter.fields;
  if (name === "" || description === "" || matter.body === "") return null;
  if (description.length > descriptionCharactersMax || hint.length > descriptionCharactersMax) return null;
  return { name, description, argumentHint: hint === "" ? null : hint, instructions: matter.body };
}
