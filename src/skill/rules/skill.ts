// A skill: instructions that an agent follows when a message calls them by name. Built-in skills
// come with the service. A project's own skills are folders with a SKILL.md in its checkout. The
// service stores personal skills and those of a workspace.

import { skillDescriptionCharactersMax, skillNameCharactersMax } from "../../rules/limits.ts";
import { hasMoreCodePoints } from "../../rules/text.ts";
import { customSkillName } from "./custom-skill.ts";
import { readFrontMatter } from "./front-matter.ts";

export const skillSources = ["factory", "project", "workspace", "personal", "plugin"] as const;
export type SkillSource = (typeof skillSources)[number];

/** A skill as lists show it. */
export interface SkillListing {
  name: string;
  description: string;
  /** A hint about what may follow its name; null without one. */
  argumentHint: string | null;
}

/** A parsed SKILL.md. */
export interface SkillFile extends SkillListing {
  instructions: string;
}

/** The file of a skill that contains its front matter and instructions. */
export const skillFileName = "SKILL.md";

export type SkillField = "front matter" | "name" | "description" | "argument-hint" | "instructions";

/** What is wrong with a SKILL.md. `message` follows the field in a sentence. */
export interface SkillMistake {
  field: SkillField;
  message: string;
}

export type SkillReading = { skill: SkillFile } | { mistakes: SkillMistake[] };

/** A built-in skill's name, which has a prefix. */
const builtInName = /^svc:[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * Parses the SKILL.md of a user's skill, or returns what is wrong with it by field (Part 2,
 * "Personal skill rules").
 */
export function readSkill(file: string): SkillReading {
  return readNamed(file, customSkillName);
}

/** Parses the SKILL.md of a built-in skill. */
export function readBuiltInSkill(file: string): SkillReading {
  return readNamed(file, builtInName);
}

function readNamed(file: string, names: RegExp): SkillReading {
  const matter = readFrontMatter(file);
  if (matter === null)
    return {
      mistakes: [{ field: "front matter", message: "is missing: begin the file with --- and end it with ---" }],
    };
  const { name = "", description = "", "argument-hint": hint = "" } = matter.fields;
  const mistakes: (SkillMistake | null)[] = [
    mistake("name", lengthMistake(name, skillNameCharactersMax) ?? (names.test(name) ? null : notKebabCase)),
    mistake("description", lengthMistake(description, skillDescriptionCharactersMax)),
    mistake("argument-hint", hint === "" ? null : lengthMistake(hint, skillDescriptionCharactersMax)),
    mistake("instructions", matter.body === "" ? "are missing: write them below the front matter" : null),
  ];
  const found = mistakes.filter((one) => one !== null);
  if (found.length > 0) return { mistakes: found };
  return { skill: { name, description, argumentHint: hint === "" ? null : hint, instructions: matter.body } };
}

const notKebabCase = "is not kebab-case: use small letters and digits, joined by single hyphens";

function lengthMistake(text: string, charactersMax: number): string | null {
  if (text === "") return "is missing";
  return hasMoreCodePoints(text, charactersMax)
    ? `must have at most ${charactersMax.toLocaleString("en-US")} characters`
    : null;
}

function mistake(field: SkillField, message: string | null): SkillMistake | null {
  return message === null ? null : { field, message };
}
