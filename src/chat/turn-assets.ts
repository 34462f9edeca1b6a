// The saved skills and the plugins of a turn, as the sandbox program receives them. Each has an
// address that serves exactly the version the turn started with, and only to that turn.

import { type SigningKeys, sign, verify } from "../lib/signing.ts";
import type { RequestedPlugin, RequestedSkill } from "../sandbox/turn-request.ts";
import type { GivenPlugin, GivenSkill } from "../sandbox-protocol/protocol.ts";

/** The content of an address. */
export interface GivenAddress {
  turnId: string;
  /** The R2 key of the files. */
  bodyKey: string;
  /** The plugin that the files belong to, and the user who chose it; missing for a skill. */
  plugin?: { id: string; userId: string };
}

type AddressEnv = SigningKeys & { SANDBOX_TO_SERVICE_URL: string };

async function signAddress(env: AddressEnv, address: GivenAddress, expiresAt: number): Promise<string> {
  return `${env.SANDBOX_TO_SERVICE_URL}/internal/given/${await sign(env, "given", address, expiresAt)}`;
}

/** Gives each skill its address. `expiresAt` is in milliseconds since the epoch. */
export function withSkillAddresses(
  env: AddressEnv,
  { turnId, skills = [] }: { turnId: string; skills?: RequestedSkill[] },
  expiresAt: number,
): Promise<GivenSkill[]> {
  return Promise.all(
    skills.map(async ({ name, hash, bodyKey }) => {
      return { name, hash, url: await signAddress(env, { turnId, bodyKey }, expiresAt) };
    }),
  );
}

/** Gives each plugin its address. */
export function withPluginAddresses(
  env: AddressEnv,
  { turnId, plugins = [] }: { turnId: string; plugins?: RequestedPlugin[] },
  expiresAt: number,
): Promise<GivenPlugin[]> {
  return Promise.all(
    plugins.map(async ({ id, userId, bodyKey, ...plugin }) => {
      return { ...plugin, url: await signAddress(env, { turnId, bodyKey, plugin: { id, userId } }, expiresAt) };
    }),
  );
}

/** Reads an address of this turn; null for any other text. */
export async function readGivenAddress(
  keys: SigningKeys,
  turnId: string,
  text: string,
  now: number,
): Promise<GivenAddress | null> {
  const address = await verify<GivenAddress>(keys, "given", text, now);
  return address?.turnId === turnId ? address : null;
}
