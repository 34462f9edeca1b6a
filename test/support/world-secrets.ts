// The secrets of a running world, from its state folder. Tests use them to forge signatures and to search for leaks.
import { readFileSync } from "node:fs";
import type { Secrets } from "../../dev/secrets.ts";
import type { WorldAddress } from "./api-worlds.ts";

/** The secrets of a running world. */
export function secretsOf(world: Pick<WorldAddress, "stateDir">): Secrets {
  return JSON.parse(readFileSync(`${world.stateDir}/secrets.json`, "utf8"));
}
