// The stored settings of a project. Each environment value is sealed for its project, service and name; the rest is not encrypted.

import { seal, sealingKeyIds, unseal } from "../storage/sealing.ts";
import type { ProjectSettings, StoredValue } from "./rules/settings.ts";

/** Reads the settings of a project with the values of its environments. */
export async function openSettings(
  sealingKeys: string,
  { id, settings }: { id: string; settings: ProjectSettings<StoredValue> },
): Promise<ProjectSettings> {
  return await withValues(settings, (place, value) =>
    typeof value === "string" ? value : unseal(sealingKeys, identityOf(id, place), value.sealed),
  );
}

/** Seals all environment values of a project's settings with the first key. `settingsKey` is its id. */
export async function sealSettings(
  sealingKeys: string,
  project: { id: string; settings: ProjectSettings<StoredValue> },
): Promise<{ settings: ProjectSettings<StoredValue>; settingsKey: string }> {
  const [settingsKey] = await sealingKeyIds(sealingKeys);
  const settings = await withValues(await openSettings(sealingKeys, project), async (place, value) => ({
    sealed: await seal(sealingKeys, identityOf(project.id, place), value),
  }));
  return { settings, settingsKey };
}

/** The environment variable of a value: of a service, or of the project. */
interface Place {
  service: string | null;
  name: string;
}

/** Names contain no colon, so the identity is unique. */
function identityOf(projectId: string, { service, name }: Place): string {
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
