// The wall: isolates the program from the processes of a project, and process families from each
// other. Its kind is set when the program starts, by the host, which knows what the machine
// supports.
import type { Folders } from "../folders.ts";
import { diesFirst, disguise, type Entry, getWrapperEnvironment, waitingShell } from "./entry.ts";

/**
 * `users`: every family runs as the agent's user, in a separate group. The program has another real
 * user, with the agent's rights on files. `namespaces` and `user-namespaces`: every family has its
 * own process ids and cannot see the program's state. The second needs no privileges. `none`: no
 * isolation. A family is found by a mark in its environment and by its process groups.
 */
export const walls = ["users", "namespaces", "user-namespaces", "none"] as const;
export type Wall = (typeof walls)[number];

type NamespaceWall = Extract<Wall, "namespaces" | "user-namespaces">;

let current: Wall = "none";

/** Sets the wall of this program. Commands that are already running are not affected. */
export function setWall(wall: Wall): void {
  current = wall;
}

export const getWall = (): Wall => current;

/** Wraps a command to run in separate namespaces. A shell hides the state first. */
export function toUnsharedCommand(wall: NamespaceWall, folders: Pick<Folders, "state">, argv: string[]): string[] {
  const command = [...withoutPrivileges(wall), ...argv];
  return [...unshare(wall), "/bin/sh", "-c", `${hideState} && "$@"; exit $?`, folders.state, ...command];
}

/**
 * The first process of a family's namespaces. It prints a line when they are ready, and ends them
 * when its standard input closes.
 */
export function getFirstProcessCommand(wall: NamespaceWall, { state }: Pick<Folders, "state">): string[] {
  const protect = wall === "namespaces" ? " && mount --bind -o ro /proc/sys /proc/sys" : "";
  const script = `${hideState}${protect} && echo && read -r`;
  return [...unshare(wall), ...bash, "-c", script, state];
}

/** Wraps a command to run in the namespaces of a first process. */
export function toEnteringCommand(wall: NamespaceWall, firstProcessId: number, { argv, cwd, env }: Entry): Entry {
  const { disguised, restore } = disguise(env);
  const script = `cd -- "$0" && unset OLDPWD && ${diesFirst} && ${restore} && exec "$@"`;
  return {
    argv: [...enterNamespaces(wall, firstProcessId), ...withoutPrivileges(wall), "/bin/sh", "-c", script, cwd, ...argv],
    cwd: "/",
    env: { ...getWrapperEnvironment(), ...disguised },
  };
}

/**
 * A shell in the namespaces of a first process. When it receives its order, it drops its
 * privileges.
 */
export function getWaitingCommand(wall: NamespaceWall, firstProcessId: number): Entry {
  const shell = [...waitingShell, ...withoutPrivileges(wall), "/bin/sh", "-s"];
  return { argv: [...enterNamespaces(wall, firstProcessId), ...shell], cwd: "/", env: getWrapperEnvironment() };
}

function enterNamespaces(wall: NamespaceWall, firstProcessId: number): string[] {
  const user = wall === "user-namespaces" ? ["--user", "--preserve-credentials"] : [];
  return ["nsenter", `--target=${firstProcessId}`, ...user, "--mount", "--pid", "--"];
}

/**
 * A command that tries everything the wall needs. It succeeds if the machine supports the wall.
 * `folder` is a folder that it may hide.
 */
export function getWallTrialCommand(wall: NamespaceWall, folder: string): string[] {
  const folders = { state: folder, shared: folder };
  const first = getFirstProcessCommand(wall, folders);
  const { argv: entering } = toEnteringCommand(wall, 0, { argv: unsharedTest, cwd: "/", env: {} });
  return [...bash, "-c", trialScript, "trial", String(first.length), ...first, ...entering];
}

const unsharedTest = ["/bin/sh", "-c", "test $$ -lt 99 && test ! -e /proc/$PPID/exe"];
const trialScript = `
coproc "\${@:2:$1}"
read -r <&"\${COPROC[0]}" || exit 1
child=$(cat /proc/$COPROC_PID/task/$COPROC_PID/children)
entering=("\${@:2+$1}")
"\${entering[@]/--target=0/--target=\${child% }}"
exit $?`;

/**
 * Bash treats a socket on its standard input as a remote login. It would run `.bashrc` first, which
 * is the agent's code, before the wall is set up.
 */
const bash = ["/bin/bash", "--norc"];

const hideState = 'mount -t tmpfs -o size=64k,mode=755 none "$0"';

function unshare(wall: NamespaceWall): string[] {
  const user = wall === "user-namespaces" ? ["--user", "--map-root-user"] : [];
  return ["unshare", ...user, "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"];
}

/** The capabilities of root that could bypass or remove the wall, or reach disks and the kernel. */
const capabilitiesTaken = [
  ...["sys_admin", "sys_ptrace", "sys_module", "sys_rawio", "sys_boot", "sys_time", "syslog", "mknod"],
  ...["dac_read_search", "bpf", "perfmon", "checkpoint_restore", "mac_admin", "mac_override"],
];

function withoutPrivileges(wall: NamespaceWall): string[] {
  const taken = wall === "namespaces" ? [`--bounding-set=${capabilitiesTaken.map((name) => `-${name}`)}`] : [];
  // The wall's own user namespace makes the user root inside. A second one gives commands their
  // normal user back.
  const { getuid, getgid } = process;
  const back = ["unshare", "--user", `--map-user=${getuid?.()}`, `--map-group=${getgid?.()}`, "--"];
  return [...(wall === "user-namespaces" ? back : []), "setpriv", ...taken, "--inh-caps=-all", "--no-new-privs", "--"];
}
