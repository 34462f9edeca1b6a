// An entry: the arguments, folder and environment of a command, which may be wrapped to run behind
// a wall. The wrapping programs run outside of the wall, so they must not get the project's
// variables: PATH or LD_PRELOAD would make them run the project's code.
import type { Environment } from "./environment.ts";

export interface Entry {
  argv: string[];
  cwd: string;
  env: Environment;
}

/**
 * The wrapping programs get the command's variables under other names, which no variable of a
 * project has.
 */
const prefix = "SWITCHYARD_GIVEN_";
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Shell code that makes the kernel kill this process, and all that it starts, before the sandbox
 * program when memory runs out. Otherwise many small processes would outlive the program, which is
 * the largest single one. It fails silently on a machine without such a file.
 */
export const diesFirst = "{ echo 800 > /proc/self/oom_score_adj || true; } 2> /dev/null";

/** The environment that the wrapping programs need for themselves. */
export function getWrapperEnvironment(): Environment {
  return { PATH: `${process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin"}:/usr/sbin:/sbin` };
}

/**
 * A shell that waits for one line and then runs the program of its arguments, which reads the rest.
 * It waits with the rights of the program, so that no process behind the wall can read it, trace it
 * or write to it.
 */
export const waitingShell = ["/bin/sh", "-c", 'read -r line && exec "$@"', "standby"];

/**
 * The order for a waiting shell: the line that ends its wait, then shell code that becomes the
 * command, without input. Null for a command that cannot be passed to a shell.
 */
export function formatOrder({ argv, cwd, env }: Entry): string | null {
  const exports = Object.entries(env)
    .filter(([name]) => variableName.test(name))
    .map(([name, value]) => `command export ${name}=${quoted(value)}; `);
  const variables = `{ ${exports.join("")}true; } 2> /dev/null`;
  const become = `exec ${argv.map(quoted).join(" ")} < /dev/null`;
  const order = `\ncd -- ${quoted(cwd)} && unset OLDPWD && ${diesFirst} && ${variables} && ${become}\n`;
  return order.includes("\0") ? null : order;
}

/** Quotes a text for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Renames the variables of a command for the wrapping programs. `restore` is shell code that
 * restores the names behind the wall.
 */
export function disguise(env: Environment): { disguised: Environment; restore: string } {
  const variables = Object.entries(env).filter(([name]) => variableName.test(name));
  // With `command`, the shell continues after a read-only variable such as UID.
  const restored = variables.map(([name]) => `command export ${name}="$${prefix}${name}"; unset ${prefix}${name}; `);
  return {
    disguised: Object.fromEntries(variables.map(([name, value]) => [prefix + name, value])),
    restore: `{ ${restored.join("")}true; } 2> /dev/null`,
  };
}
