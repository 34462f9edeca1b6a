// The secrets of a running world, which only its state folder knows: a test needs them to forge what the service signs, and to look for leaks.
import { readFileSync } from "node:fs";
import type { Secrets } from "../../dev/secrets.ts";
import type { WorldAddress } from "./api-worlds.ts";

/** The secrets of a running world. */
export function secretsOf(world: Pick<WorldAddress, "stateDir">): Secrets {
  return JSON.parse(readFileSync(`${world.stateDir}/secrets.json`, "utf8"));
}
