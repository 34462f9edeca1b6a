// The secrets of a running world, from its state folder. Tests use them to forge signatures and to
// search for leaks.
import { readFileSync } from "node:fs";
import type { Secrets } from "../../practice/secrets.ts";
import type { SigningKeys } from "../../src/lib/signing.ts";
import type { WorldAddress } from "./world-address.ts";

/** The secrets of a running world. */
export function readSecrets(world: Pick<WorldAddress, "stateDir">): Secrets {
  return JSON.parse(readFileSync(`${world.stateDir}/secrets.json`, "utf8"));
}

/** The keys that a running world signs with. */
export function readSigningKeys(world: Pick<WorldAddress, "stateDir">): SigningKeys {
  return { SIGNING_KEY: readSecrets(world).signingKey };
}
