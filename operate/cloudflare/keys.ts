// The signing and sealing keys, which nobody can read from the Worker: where a checkout saves them,
// and how they are rotated.
import { renameSync } from "node:fs";
import { join } from "node:path";
import { Stop } from "../lib/exit.ts";
import { readSecretFile, writeSecretFile } from "../lib/secret-file.ts";
import { createSecret } from "./secrets.ts";

/** The keys by name. A checkout need not know all of them. */
export type Keys = Record<string, string>;
/** A rotation: add new keys in front of the present ones, or drop the old ones. */
export type KeyChange = "new" | "drop-old";

const keyNames = ["SIGNING_KEY", "SIGNING_KEY_PREVIOUS", "SEALING_KEYS"] as const;
export const keyFile = ".service-keys.json";
/** The keys of a rotation that may not be in the Worker yet. */
const newKeyFile = ".service-keys.new.json";

const help = "Put the keys from your password manager into it, or give them as variables and delete the file.";

/** The keys that this checkout has drawn or received; null if it has drawn none. */
export const loadKeys = (root: string): Keys | null => readSecretFile(join(root, keyFile), help);

/** Saves the keys that the Worker has, or is about to get for the first time. */
export const saveKeys = (root: string, keys: Keys): void => writeSecretFile(join(root, keyFile), keys);

/** The new keys of a rotation that was started; null without one. */
export const loadWaitingKeys = (root: string): Keys | null =>
  readSecretFile(join(root, newKeyFile), "Delete it, unless the Worker has its keys.");

/** Saves new keys next to the present ones until they are in the Worker. */
export const saveWaitingKeys = (root: string, keys: Keys): void => writeSecretFile(join(root, newKeyFile), keys);

/** Makes the new keys the present ones, once they are in the Worker. */
export const commitWaitingKeys = (root: string): void => renameSync(join(root, newKeyFile), join(root, keyFile));

/** Selects the keys from a set of secrets. */
export const getKeys = (secrets: Readonly<Record<string, string>>): Keys =>
  Object.fromEntries(keyNames.flatMap((name) => (secrets[name] ? [[name, secrets[name]]] : [])));

/** What is known of an earlier rotation. */
export interface EarlierRotation {
  /** The new keys that it drew, if it did not end. */
  waiting: Keys | null;
  /** The names of the secrets that the Worker has. */
  held: readonly string[];
}

/**
 * Returns the keys after a rotation. Uses the waiting new ones if an earlier run drew them. Throws
 * `Stop` if the present ones are not known, or if the rotation before is not complete: a Worker has
 * one previous key, and another rotation would end the tokens that it verifies.
 */
export function getRotatedKeys(change: KeyChange, present: Keys, { waiting, held }: EarlierRotation): Keys {
  const { SIGNING_KEY: signing, SEALING_KEYS: sealing } = present;
  if (!signing || !sealing)
    throw new Stop(
      `The current keys are not known here. Give SIGNING_KEY and SEALING_KEYS as variables, or put ${keyFile} back.`,
    );
  if (change === "new") {
    if (waiting && isBefore(waiting, present)) return waiting;
    if (!held.includes("SIGNING_KEY_PREVIOUS")) return createKeys(signing, sealing);
    throw new Stop(
      "The last change of keys is not complete: the Worker still has SIGNING_KEY_PREVIOUS. A day after that change, run `npm run deploy -- --drop-old-keys`, and then this one again. To deploy before that, leave --new-keys out. Nothing was changed.",
    );
  }
  if (waiting)
    throw new Stop("A change of keys was started and is not finished. First run `npm run deploy -- --new-keys` again.");
  return { SIGNING_KEY: signing, SEALING_KEYS: sealing.split(",")[0] ?? "" };
}

/**
 * Returns new keys as they are introduced: they verify and unseal, and the present ones still sign
 * and seal. What an object with the new keys seals, one that is not restarted yet could not unseal.
 */
export function toIntroducedKeys({ SIGNING_KEY, SIGNING_KEY_PREVIOUS, SEALING_KEYS = "" }: Keys): Keys {
  if (!SIGNING_KEY || !SIGNING_KEY_PREVIOUS) throw new Error("These are not new keys.");
  const [sealing = "", ...present] = SEALING_KEYS.split(",");
  return {
    SIGNING_KEY: SIGNING_KEY_PREVIOUS,
    SIGNING_KEY_PREVIOUS: SIGNING_KEY,
    SEALING_KEYS: [...present, sealing].join(","),
  };
}

function createKeys(signing: string, sealing: string): Keys {
  const drawn = { SIGNING_KEY: createSecret("SIGNING_KEY"), SEALING_KEYS: createSecret("SEALING_KEYS") };
  return { ...drawn, SIGNING_KEY_PREVIOUS: signing, SEALING_KEYS: `${drawn.SEALING_KEYS},${sealing}` };
}

/** True if the waiting keys were added in front of these keys, and not of others. */
function isBefore(waiting: Keys, { SIGNING_KEY, SEALING_KEYS }: Keys): boolean {
  return waiting.SIGNING_KEY_PREVIOUS === SIGNING_KEY && waiting.SEALING_KEYS?.endsWith(`,${SEALING_KEYS}`) === true;
}
