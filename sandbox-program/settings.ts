// The program's settings, read once from its environment. The environment is then emptied, so that
// commands cannot inherit it.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { programPort } from "../src/sandbox/rules/program-version.ts";
import type { WaysOut } from "./network/ways-out.ts";
import type { Environment } from "./process/environment.ts";
import { type Wall, walls } from "./process/wall.ts";

export interface Settings {
  port: number;
  host: string;
  /**
   * The descriptor of a listening socket of the host, which replaces port and host in a sandbox
   * without a network. Null if there is none.
   */
  listener: number | null;
  /** The ways out of a sandbox without a network. */
  waysOut: WaysOut;
  /** What the agent reads about the sandbox's network; empty if the sandbox reaches everything. */
  networkRule: string;
  secret: string;
  root: string;
  /** True if sandboxes share one machine. Each declared port is then mapped to a free one. */
  mapsPorts: boolean;
  /** The wall between the program and the processes of the project. */
  wall: Wall;
  /** Variables for every command: where the machine finds certificates and packages. */
  commandEnv: Environment;
  /** True if the program ends when its standard input closes. */
  endsWithStdin: boolean;
  /**
   * After a request to end, the program ends once nothing has been active for this long, in
   * milliseconds.
   */
  quietMs: number;
}

/** Reads the settings. Afterwards `process.env` contains only PATH and the language. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const settings: Settings = {
    port: Number(env.PORT ?? programPort),
    host: env.HOST ?? "0.0.0.0",
    listener: env.SANDBOX_LISTENER === undefined ? null : Number(env.SANDBOX_LISTENER),
    waysOut: JSON.parse(env.SANDBOX_WAYS_OUT ?? "{}"),
    networkRule: env.SANDBOX_NETWORK_RULE ?? "",
    secret: env.SANDBOX_SECRET ?? "",
    root: env.SANDBOX_ROOT ?? "",
    mapsPorts: env.SANDBOX_PORTS === "mapped",
    wall: readWall(env.SANDBOX_WALL),
    commandEnv: JSON.parse(env.SANDBOX_COMMAND_ENV ?? "{}"),
    endsWithStdin: env.SANDBOX_LEASH === "stdin",
    quietMs: Number(env.SANDBOX_QUIET_MS ?? "10000"),
  };
  if (settings.secret === "") throw new Error("SANDBOX_SECRET is not set.");
  if (settings.root === "") throw new Error("SANDBOX_ROOT is not set.");
  if (!Number.isInteger(settings.port) || settings.port < 0) throw new Error("PORT is not a port number.");
  const kept = { PATH: env.PATH ?? "/usr/local/bin:/usr/bin:/bin", LANG: env.LANG ?? "C.UTF-8" };
  for (const name of Object.keys(env)) delete env[name];
  wipeInitialEnvironment();
  Object.assign(env, kept);
  return settings;
}

/** The wall of this name. */
export function readWall(name = "none"): Wall {
  const wall = walls.find((known) => known === name);
  if (!wall) throw new Error("SANDBOX_WALL is not a wall that is known here.");
  return wall;
}

/**
 * Overwrites the environment that the kernel keeps of this process. After only
 * `delete process.env.X`, `/proc/<pid>/environ` would still show the secret to every command of the
 * same user.
 */
function wipeInitialEnvironment(): void {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const start = BigInt(fields[47] ?? "0");
    const end = BigInt(fields[48] ?? "0");
    const length = Number(end - start);
    if (start === 0n || length <= 0 || length > 1_000_000) return;
    const memory = openSync("/proc/self/mem", "r+");
    try {
      writeSync(memory, Buffer.alloc(length), 0, length, Number(start));
    } finally {
      closeSync(memory);
    }
  } catch {
    // Not Linux, or forbidden by the kernel. The secret gives access only to this program, which
    // serves the same user.
  }
}
