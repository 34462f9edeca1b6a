// The draft of a project's settings: the deploy agent's changes on top of the project's settings at
// that time. A change by a member takes effect immediately, even if a draft changes the same
// setting.
import type { Network } from "../../network/rules/network.ts";
import type { ProjectSettings } from "../../project/rules/settings.ts";

/** A change by the deploy agent: the fields of the settings that it sets. */
export type SettingsChange = { [Field in "setup" | "services" | "env"]?: ProjectSettings[Field] | undefined };

/** What the deploy agent's tool asks for: a change, and a network for members to decide about. */
export interface AgentSettings extends SettingsChange {
  proposedNetwork?: Network | undefined;
}

/** The settings with the written fields. */
export function withWrittenFields(
  settings: ProjectSettings,
  { setup, services, env }: SettingsChange,
): ProjectSettings {
  return { ...settings, ...(setup && { setup }), ...(services && { services }), ...(env && { env }) };
}

export interface OpenDraft {
  base: ProjectSettings;
  settings: ProjectSettings;
}

/**
 * The settings with the draft applied. If a member has changed a field or a variable since the
 * draft was written, the member's value is used.
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
  // With a plain lookup, a variable named `constructor` would have a value that nobody has set.
  const findValue = (values: Environment, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  const names = new Set([...Object.keys(drafted), ...Object.keys(current)]);
  const entries = [...names].flatMap((name) => {
    const isUnchanged = findValue(base, name) === findValue(current, name);
    const value = findValue(isUnchanged ? drafted : current, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
