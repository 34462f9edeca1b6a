// An entry: what a command is started with, as it is or wrapped to run behind a wall. The wrapping programs run before the wall stands around
// them, so the project's variables must not reach them: PATH or LD_PRELOAD would make them run the project's code.
import type { Environment } from "./environment.ts";

export interface Entry {
  argv: string[];
  cwd: string;
  env: Environment;
}

/** The command's variables reach the wrapping programs under other names, which no variable of a project has. */
const prefix = "SWITCHYARD_GIVEN_";
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The environment that the wrapping programs need for themselves. */
export function wrapperEnvironment(): Environment {
  return { PATH: `${process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin"}:/usr/sbin:/sbin` };
}

/** Renames the variables of a command for its way through the wall. `restore` is shell code that gives them their own names behind it. */
export function disguise(env: Environment): { disguised: Environment; restore: string } {
  const variables = Object.entries(env).filter(([name]) => variableName.test(name));
  // `command` keeps the shell going at a variable that it keeps for itself, such as UID.
  const restored = variables.map(([name]) => `command export ${name}="$${prefix}${name}"; unset ${prefix}${name}; `);
  return {
    disguised: Object.fromEntries(variables.map(([name, value]) => [prefix + name, value])),
    restore: `{ ${restored.join("")}true; } 2> /dev/null`,
  };
}
