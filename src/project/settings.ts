// Reads and replaces the settings of a project. The values of its environments are stored sealed
// and returned masked.
import { getProjectObject } from "../../durable-objects/address.ts";
import type { SettingsDraft } from "../deploy/rules/project-state.ts";
import { withDraft } from "../deploy/rules/settings-draft.ts";
import type { Env } from "../env.ts";
import { createRedaction, type Redaction } from "../rules/redaction.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { listSealingKeyIds, seal, unseal } from "../storage/sealing.ts";
import { findSettingsText, replaceSettings } from "./queries.ts";
import { checkSettings } from "./rules/check-settings.ts";
import {
  fromMaskedSettings,
  type KeptValue,
  listVariableValues,
  type ProjectSettings,
  type StoredValue,
  toMaskedSettings,
} from "./rules/settings.ts";

/** How often this write is retried after a concurrent write. */
const attemptsMax = 5;

const unknown = refuse("NOT_FOUND", "There is no such project.");

/** Returns the masked settings. */
export async function readSettings(
  env: Pick<Env, "DB" | "SEALING_KEYS">,
  projectId: string,
): Promise<ProjectSettings | Refusal> {
  const text = await findSettingsText(env.DB, projectId);
  if (text === null) return unknown;
  return toMaskedSettings(await unsealSettings(env.SEALING_KEYS, { id: projectId, settings: JSON.parse(text) }));
}

/**
 * Replaces the current settings, and returns the new ones masked. They take effect at a sandbox's
 * next start or reset.
 */
export async function saveSettings(
  env: Pick<Env, "DB" | "SEALING_KEYS" | "PROJECT" | "JURISDICTION">,
  { projectId, settings: wanted }: { projectId: string; settings: ProjectSettings },
  now: number,
): Promise<ProjectSettings | Refusal> {
  const refusal = checkSettings(wanted);
  if (refusal) return refusal;
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const read = await findSettingsText(env.DB, projectId);
    if (read === null) return unknown;
    const kept = fromMaskedSettings(wanted, JSON.parse(read));
    if (isRefusal(kept)) return kept;
    const settings = await unsealSettings(env.SEALING_KEYS, { id: projectId, settings: kept });
    const sealed = await sealSettings(env.SEALING_KEYS, { id: projectId, settings });
    if (!(await replaceSettings(env.DB, { id: projectId, read, ...sealed, updatedAt: now }))) continue;
    await getProjectObject(env, projectId).settingsChanged();
    return toMaskedSettings(settings);
  }
  return refuse("CONFLICT", "Somebody else changed these settings at the same time. Read them, then send yours again.");
}

/**
 * The settings of a project with the deploy agent's draft applied. Values are unsealed only for
 * comparison.
 */
export async function getDraftedSettings(
  { SEALING_KEYS }: Pick<Env, "SEALING_KEYS">,
  project: { id: string; settings: ProjectSettings<StoredValue> },
  draft: SettingsDraft | null,
): Promise<ProjectSettings> {
  const { id } = project;
  const open = (settings: ProjectSettings<StoredValue>) => unsealSettings(SEALING_KEYS, { id, settings });
  if (draft === null) return await open(project.settings);
  const [current, base, settings] = await Promise.all([open(project.settings), open(draft.base), open(draft.settings)]);
  return withDraft(current, { base, settings });
}

/**
 * Reads the settings of a project with the values of its environments. Each value is sealed for its
 * project, service and name; the rest is not encrypted.
 */
export async function unsealSettings(
  sealingKeys: string,
  { id, settings }: { id: string; settings: ProjectSettings<KeptValue> },
): Promise<ProjectSettings> {
  return await withValues(settings, (place, value) =>
    typeof value === "string" ? value : unseal(sealingKeys, getIdentity(id, place), value.sealed),
  );
}

/**
 * Creates the redaction of the values of the variables of projects and their services. Throws if a
 * value cannot be unsealed. The secrets of networks are in no sandbox, and no agent sees them.
 */
export async function createProjectRedaction(
  sealingKeys: string,
  projects: readonly Parameters<typeof unsealSettings>[1][],
): Promise<Redaction> {
  const opened = await Promise.all(projects.map((project) => unsealSettings(sealingKeys, project)));
  return createRedaction(opened.flatMap(listVariableValues));
}

/**
 * Seals all environment values of a project's settings with the first key. `settingsKey` is its id.
 */
export async function sealSettings(
  sealingKeys: string,
  project: { id: string; settings: ProjectSettings<KeptValue> },
): Promise<{ settings: ProjectSettings<StoredValue>; settingsKey: string }> {
  const [settingsKey] = await listSealingKeyIds(sealingKeys);
  const settings = await withValues(await unsealSettings(sealingKeys, project), async (place, value) => ({
    sealed: await seal(sealingKeys, getIdentity(project.id, place), value),
  }));
  return { settings, settingsKey };
}

/** The environment variable of a value, in a service or in the project. */
interface Place {
  service: string | null;
  name: string;
}

/** Names contain no colon, so the identity is unique. */
function getIdentity(projectId: string, { service, name }: Place): string {
  return service === null ? `project-env:${projectId}:${name}` : `service-env:${projectId}:${service}:${name}`;
}

/** Converts every environment value of the settings. */
async function withValues<From, To>(
  settings: ProjectSettings<From>,
  change: (place: Place, value: From) => To | Promise<To>,
): Promise<ProjectSettings<To>> {
  async function environment(service: string | null, values: Record<string, From>): Promise<Record<string, To>> {
    const changed = Object.entries(values).map(
      async ([name, value]): Promise<[string, To]> => [name, await change({ service, name }, value)],
    );
    return Object.fromEntries(await Promise.all(changed));
  }
  const services = settings.services.map(async ({ env, ...service }) => ({
    ...service,
    ...(env && { env: await environment(service.name, env) }),
  }));
  return {
    ...settings,
    services: await Promise.all(services),
    env: await environment(null, settings.env),
  };
}
