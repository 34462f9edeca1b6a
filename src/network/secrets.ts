// Reads and sets the secrets of a project that no sandbox contains, and puts them into requests.
import { getProjectObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { createName } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { findVariableNameMistake } from "../project/rules/check-settings.ts";
import { type ProjectSettings, withEnvironments } from "../project/rules/settings.ts";
import { networkSecretsMax } from "../rules/limits.ts";
import { type Refusal, refuse, refuseMistakes } from "../rules/refusal.ts";
import { seal, unseal } from "../storage/sealing.ts";
import { deleteSecret, listSecretRows, type SecretRow, updateSealedSecret, writeSecret } from "./queries/secrets.ts";
import {
  checkNetworkSecret,
  createPlaceholder,
  type OpenSecret,
  type ShownSecret,
  toSecretHosts,
} from "./rules/network-secret.ts";

type Platforms = Pick<Env, "SANDBOX_NETWORKS" | "CONTAINER">;

/**
 * True if the requests of sandboxes are opened here. A filter of connections, as with bubblewrap,
 * sees no header.
 */
export function isOpeningHttps(env: Platforms): boolean {
  return env.SANDBOX_NETWORKS === "held" && env.CONTAINER !== undefined;
}

const opensNothing =
  "Nothing here reads the requests of sandboxes, so no placeholder could be replaced: set the variable in the project's settings, or run sandboxes as containers.";

const noSecret = refuse("NOT_FOUND", "The project has no secret with this name.");

/** Lists the secrets of a project by name, without their values. */
export async function listNetworkSecrets(env: Pick<Env, "DB">, projectId: string): Promise<ShownSecret[]> {
  return (await listSecretRows(env.DB, projectId)).map(toShown);
}

/**
 * Sets a secret. A new value reaches running sandboxes within a minute; a new name or host from
 * their next start.
 */
export async function updateNetworkSecret(
  env: Pick<Env, "DB" | "SEALING_KEYS" | "PROJECT" | "JURISDICTION"> & Platforms,
  { projectId, name, value, onlyTo, as }: Omit<OpenSecret, "placeholder"> & { projectId: string },
  now: number,
): Promise<ShownSecret | Refusal> {
  const message = findVariableNameMistake(name);
  const refusal = refuseMistakes(message === null ? [] : [{ path: "name", message }]);
  if (refusal) return refusal;
  const refused = checkNetworkSecret({ value, onlyTo });
  if (refused) return refused;
  if (!isOpeningHttps(env)) return refuse("BAD_REQUEST", opensNothing);
  const written = await writeSecret(
    env.DB,
    {
      projectId,
      name,
      sealed: await seal(env.SEALING_KEYS, getIdentity({ projectId, name }), value),
      onlyTo: toSecretHosts(onlyTo),
      as,
      placeholder: createPlaceholder(value, createName(placeholderCharacters)),
      createdAt: now,
      updatedAt: now,
    },
    networkSecretsMax,
  );
  if (written === null)
    return refuse("BAD_REQUEST", `The project has ${networkSecretsMax} secrets. Delete one that is not needed.`);
  await getProjectObject(env, projectId).settingsChanged();
  return toShown(written);
}

/** Deletes a secret. Its placeholder no longer changes on any way. */
export async function deleteNetworkSecret(
  env: Pick<Env, "DB" | "PROJECT" | "JURISDICTION">,
  secret: Pick<SecretRow, "projectId" | "name">,
): Promise<Refusal | null> {
  if (!(await deleteSecret(env.DB, secret))) return noSecret;
  await getProjectObject(env, secret.projectId).settingsChanged();
  return null;
}

/**
 * The settings of a sandbox with the placeholders of the project's secrets as variables. They also
 * take the place of a service's own variables, which would override the project's.
 */
export async function withPlaceholders(
  env: Pick<Env, "DB">,
  projectId: string,
  settings: ProjectSettings,
): Promise<ProjectSettings> {
  const rows = await listSecretRows(env.DB, projectId);
  const placeholders = new Map(rows.map(({ name, placeholder }) => [name, placeholder]));
  return withEnvironments(settings, (values, _, service) => {
    const entries = Object.entries(values).map(([name, value]) => [name, placeholders.get(name) ?? value] as const);
    return Object.fromEntries(service === null ? [...entries, ...placeholders] : entries);
  });
}

const placeholderCharacters = 32;
/** For how long an isolate sends the values that it has read. */
const rereadMs = 60_000;
const remembered = new Map<string, { at: number; secrets: Promise<OpenSecret[]> }>();
const rememberedMax = 200;

/** The secrets of a project that are for a host, with their values. */
export async function listSecretsForHost(
  env: Pick<Env, "DB" | "SEALING_KEYS">,
  projectId: string,
  host: string,
): Promise<OpenSecret[]> {
  const now = Date.now();
  const known = remembered.get(projectId);
  const read = known && now - known.at < rereadMs ? known : { at: now, secrets: openSecrets(env, projectId) };
  if (read !== known) {
    remembered.delete(projectId);
    remembered.set(projectId, read);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= rememberedMax) break;
      remembered.delete(oldest);
    }
  }
  try {
    return (await read.secrets).filter(({ onlyTo }) => onlyTo.includes(host));
  } catch (error) {
    // The next request reads again.
    if (remembered.get(projectId) === read) remembered.delete(projectId);
    throw error;
  }
}

async function openSecrets({ DB, SEALING_KEYS }: Pick<Env, "DB" | "SEALING_KEYS">, projectId: string) {
  const rows = await listSecretRows(DB, projectId);
  const opened = rows.map(async ({ name, onlyTo, as, placeholder, sealed }): Promise<OpenSecret[]> => {
    try {
      const value = await unseal(SEALING_KEYS, getIdentity({ projectId, name }), sealed);
      return [{ name, onlyTo, as, placeholder, value }];
    } catch (error) {
      log.error("network.secret_unreadable", { projectId, variable: name, error });
      return [];
    }
  });
  return (await Promise.all(opened)).flat();
}

/** Seals the value of a secret with the current key. */
export async function sealNetworkSecretAgain(
  env: Pick<Env, "DB" | "SEALING_KEYS">,
  { projectId, name, sealed }: Pick<SecretRow, "projectId" | "name" | "sealed">,
): Promise<void> {
  const identity = getIdentity({ projectId, name });
  const to = await seal(env.SEALING_KEYS, identity, await unseal(env.SEALING_KEYS, identity, sealed));
  await updateSealedSecret(env.DB, { projectId, name, from: sealed, to });
}

const getIdentity = ({ projectId, name }: Pick<SecretRow, "projectId" | "name">) =>
  `network-secret:${projectId}:${name}`;

const toShown = ({ name, onlyTo, as, placeholder, createdAt, updatedAt }: SecretRow): ShownSecret => ({
  name,
  onlyTo,
  as,
  placeholder,
  createdAt,
  updatedAt,
});
