// The draft of a project's settings: what the deploy agent has written, over the project's settings
// of that time. A change by a member counts at once, also where a draft is over it.
import type { ProjectSettings } from "../../project/rules/settings.ts";

/** What the deploy agent writes: the fields of the settings that it names. */
export type SettingsChange = { [Field in "setup" | "services" | "env"]?: ProjectSettings[Field] | undefined };

/** The settings with the fields that were written. */
export function written(settings: ProjectSettings, { setup, services, env }: SettingsChange): ProjectSettings {
  return { ...settings, ...(setup && { setup }), ...(services && { services }), ...(env && { env }) };
}

export interface OpenDraft {
  base: ProjectSettings;
  settings: ProjectSettings;
}

/**
 * The settings with the draft over them. Where a member has changed a field, or a variable, since
 * the draft was written, the member's counts.
 */
export function withDraft(current: ProjectSettings, draft: OpenDraft | null): ProjectSettings {
  if (draft === null) return current;
  const { base, settings } = draft;
  return {
    ...current,
    setup: isSame(base.setup, current.setup) ? settings.setup : current.setup,
    services: isSame(base.services, current.services) ? settings.services : current.services,
    env: mergedEnvironment(base.env, settings.env, current.env),
  };
}

type Environment = ProjectSettings["env"];

function mergedEnvironment(base: Environment, drafted: Environment, current: Environment): Environment {
  // In a plain lookup a variable named `constructor` has a value that nobody has set.
  const valueIn = (values: Environment, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  const names = new Set([...Object.keys(drafted), ...Object.keys(current)]);
  const entries = [...names].flatMap((name) => {
    const isUnchanged = valueIn(base, name) === valueIn(current, name);
    const value = valueIn(isUnchanged ? drafted : current, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
