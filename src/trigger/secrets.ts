// The secrets with which other programs sign their requests to HTTP triggers. They are sealed.
import type { Env } from "../env.ts";
import { seal, unseal } from "../storage/sealing.ts";
import { updateTriggerSecret } from "./queries/triggers.ts";

type Sealing = Pick<Env, "SEALING_KEYS">;

const getIdentity = (triggerId: string) => `trigger:${triggerId}`;

/** Seals a secret for the row of its trigger. */
export function sealTriggerSecret(env: Sealing, triggerId: string, secret: string): Promise<string> {
  return seal(env.SEALING_KEYS, getIdentity(triggerId), secret);
}

/** The secret of a row. Throws for the secret of another trigger. */
export function unsealTriggerSecret(env: Sealing, triggerId: string, sealed: string): Promise<string> {
  return unseal(env.SEALING_KEYS, getIdentity(triggerId), sealed);
}

/** Seals the secret of a trigger with the current key. */
export async function sealTriggerSecretAgain(
  env: Sealing & Pick<Env, "DB">,
  { triggerId, sealed }: { triggerId: string; sealed: string },
): Promise<void> {
  const to = await sealTriggerSecret(env, triggerId, await unsealTriggerSecret(env, triggerId, sealed));
  await updateTriggerSecret(env.DB, { triggerId, from: sealed, to });
}
