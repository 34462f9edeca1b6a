// The rules of the settings' form: variables as rows, and what a save of one section sends.
import type { ProjectSettings } from "./queries.ts";

/** How the service answers a value. Sent back, it keeps the value. */
export const mask = "••••••••";

export interface Variable {
  /** Names the row while it is edited. */
  key: string;
  name: string;
  value: string;
  /** True for a stored value that is not replaced. Its name stays too. */
  isKept: boolean;
}

/** The rows of an environment, by name. */
export function toRows(env: Readonly<Record<string, string>>): Variable[] {
  return Object.entries(env)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, value]) => ({ key: `kept ${name}`, name, value, isKept: value === mask }));
}

/** The environment of rows; rows without a name and a value are left out. */
export function toEnvironment(rows: readonly Variable[]): Record<string, string> {
  const filled = rows.filter(({ name, value }) => name.trim() !== "" || value !== "");
  return Object.fromEntries(filled.map(({ name, value, isKept }) => [name.trim(), isKept ? mask : value]));
}

/** A label for a part of a row, such as its value, in a section or of a service. */
export function labelVariable(part: string, name: string, of?: string): string {
  return [part, name.trim() || "the new variable", ...(of ? [`of ${of}`] : [])].join(" ");
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Why rows cannot be saved; null where they can. */
export function findMistake(rows: readonly Variable[]): string | null {
  const names = new Set<string>();
  for (const { name: typed, value } of rows) {
    const name = typed.trim();
    if (name === "" && value === "") continue;
    if (name === "") return "A variable has no name.";
    if (!variableName.test(name)) return `“${name}” is no name: use letters, digits and _, and begin with no digit.`;
    if (name.startsWith("SWITCHYARD_")) return `“${name}” is a name of the service: use another one.`;
    if (names.has(name)) return `“${name}” is there twice.`;
    names.add(name);
  }
  return null;
}

/** The variables of a text as files named `.env` have them; null for a text that is none. */
export function readVariables(text: string): [name: string, value: string][] | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
  const read = lines.map((line): [string, string] | null => {
    const [, name, value = ""] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined) return null;
    const [, , quoted] = /^(["'])(.*)\1$/.exec(value) ?? [];
    return [name, quoted ?? value];
  });
  return read.length === 0 || read.includes(null) ? null : (read as [string, string][]);
}

/** The rows with variables put in: those of a known name are replaced. */
export function withVariables(
  rows: readonly Variable[],
  variables: readonly [name: string, value: string][],
  createKey: () => string,
): Variable[] {
  const given = new Map(variables);
  const replaced = rows
    .filter(({ name, value }) => name.trim() !== "" || value !== "")
    .map((row) => (given.has(row.name) ? { ...row, value: given.get(row.name) ?? "", isKept: false } : row));
  const known = new Set(replaced.map(({ name }) => name));
  const added = [...given].filter(([name]) => !known.has(name));
  return [...replaced, ...added.map(([name, value]) => ({ key: createKey(), name, value, isKept: false }))];
}

/** An environment as lines, for people. */
export function describeEnvironment(env: Readonly<Record<string, string>>): string[] {
  return toRows(env).map(({ name, value }) => `${name}=${value}`);
}

export type SectionName = keyof ProjectSettings;

/** True if two parts of settings are the same, also where their variables have another order. */
export function isSame(one: unknown, other: unknown): boolean {
  return toStableText(one) === toStableText(other);
}

function toStableText(value: unknown): string {
  return (
    JSON.stringify(value, (_, part: unknown) => {
      if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
      return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? ""
  );
}

/**
 * What a save of one section sends: the newest settings with only this section replaced. Null where
 * somebody else changed the section since `base` was read.
 */
export function placeSection<Name extends SectionName>(
  name: Name,
  { base, newest, mine }: { base: ProjectSettings[Name]; newest: ProjectSettings; mine: ProjectSettings[Name] },
): ProjectSettings | null {
  return isSame(base, newest[name]) ? { ...newest, [name]: mine } : null;
}
