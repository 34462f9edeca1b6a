// The settings of `npm start`, from the environment.
import { resolve } from "node:path";
import type { WorldOptions } from "./world.ts";

export type StartSettings = Required<Pick<WorldOptions, "port" | "stateDir" | "rateLimits">>;

const rateLimits = ["on", "visitors", "off"] as const;

/** Reads the settings. Returns a one-line message if one is invalid. */
export function readStartSettings(env: Record<string, string | undefined>): StartSettings | string {
  const { PORT = "8787", STATE_DIR = ".switchyard", RATE_LIMITS = "visitors" } = env;
  const port = /^\d{1,5}$/.test(PORT) ? Number(PORT) : 0;
  if (port < 1 || port > 65_535) return `PORT has to be a number from 1 to 65535, and is ${JSON.stringify(PORT)}.`;
  const limits = rateLimits.find((known) => known === RATE_LIMITS);
  if (!limits) return `RATE_LIMITS has to be one of ${rateLimits.join(", ")}, and is ${JSON.stringify(RATE_LIMITS)}.`;
  return { port, stateDir: resolve(STATE_DIR), rateLimits: limits };
}
