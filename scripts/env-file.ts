// The file of settings, `.env`. Environment variables override it.
import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { knownSettings } from "./settings.ts";

type Environment = Record<string, string | undefined>;

export interface EnvFileRead {
  env: Environment;
  /** The names in the file that are not settings. */
  unknown: string[];
}

/** Adds the variables of a file's text to an environment. */
export function addEnvFile(env: Environment, text: string): EnvFileRead {
  const file = parseEnv(text);
  return { env: { ...file, ...env }, unknown: Object.keys(file).filter((name) => !knownSettings.includes(name)) };
}

/**
 * Reads the file at ENV_FILE, or `.env`. Returns a message if the file at ENV_FILE cannot be read.
 */
export async function readEnvFile(env: Environment): Promise<EnvFileRead | string> {
  const path = env.ENV_FILE ?? ".env";
  try {
    return addEnvFile(env, await readFile(path, "utf8"));
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (isAbsent && env.ENV_FILE === undefined) return { env, unknown: [] };
    return `ENV_FILE ${path} cannot be read: ${error instanceof Error ? error.message : error}`;
  }
}
