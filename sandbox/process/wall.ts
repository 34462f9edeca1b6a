// The wall between the program and what a project runs, and between one family of processes and the next. Which kind stands is settled when
// the program starts, for whoever starts it knows what the machine can do.
import { earlierNames, type Folders } from "../folders.ts";

/**
 * `users`: every family runs as the agent's user and as a group of its own; the program keeps the agent's rights on files and another real user.
 * `namespaces` and `user-namespaces`: every family has process ids of its own and does not see the program's state. The second needs no rights.
 * `none`: a family is known by a mark in its environment and by its process groups.
 */
export const walls = ["users", "namespaces", "user-namespaces", "none"] as const;
export type Wall = (typeof walls)[number];

type NamespaceWall = Extract<Wall, "namespaces" | "user-namespaces">;

let standing: Wall = "none";

/** Raises the wall of this program. Commands that were started before stay outside of it. */
export function raiseWall(wall: Wall): void {
  standing = wall;
}

export const standingWall = (): Wall => standing;

/** A command in namespaces of its own, of which it is the first process but for the shell that hides the state. */
export function unsharedCommand(wall: NamespaceWall, folders: Pick<Folders, "state">, argv: string[]): string[] {
  const command = [...withoutPrivileges(wall), ...argv];
  return [...unshare(wall), "/bin/sh", "-c", `${hideState} && "$@"; exit $?`, folders.state, ...command];
}

/** The first process of a family's namespaces. It says when they are ready, and ends them with its standard input. */
export function firstProcess(wall: NamespaceWall, { state, shared }: Pick<Folders, "state" | "shared">): string[] {
  const protect = wall === "namespaces" ? " && mount --bind -o ro /proc/sys /proc/sys" : "";
  // What is shared by now, under the names of earlier programs, which conversations know.
  const names = earlierNames(state).map((name) => ` && ln -s "$1/${name}" "$0/${name}"`);
  const script = `${hideState}${protect}${names.join("")} && echo && read -r`;
  return [...unshare(wall), "/bin/bash", "-c", script, state, shared];
}

/** A command in the namespaces that a first process holds. */
export function enteringCommand(wall: NamespaceWall, firstProcessId: number, cwd: string, argv: string[]): string[] {
  const user = wall === "user-namespaces" ? ["--user", "--preserve-credentials"] : [];
  const enter = ["nsenter", `--target=${firstProcessId}`, ...user, "--mount", "--pid", `--wdns=${cwd}`, "--"];
  return [...enter, ...withoutPrivileges(wall), ...argv];
}

/** A command that does all that the wall needs; it ends well on a machine where the wall can stand. `folder` is one that may be hidden. */
export function wallTrial(wall: NamespaceWall, folder: string): string[] {
  const folders = { state: folder, shared: folder };
  const first = firstProcess(wall, folders);
  const entering = enteringCommand(wall, 0, "/", unsharedTest);
  return ["/bin/bash", "-c", trialScript, "trial", String(first.length), ...first, ...entering];
}

const unsharedTest = ["/bin/sh", "-c", "test $$ -lt 99 && test ! -e /proc/$PPID/exe"];
const trialScript = `
coproc "\${@:2:$1}"
read -r <&"\${COPROC[0]}" || exit 1
child=$(cat /proc/$COPROC_PID/task/$COPROC_PID/children)
entering=("\${@:2+$1}")
"\${entering[@]/--target=0/--target=\${child% }}"
exit $?`;

const hideState = 'mount -t tmpfs -o size=64k,mode=755 none "$0"';

function unshare(wall: NamespaceWall): string[] {
  const user = wall === "user-namespaces" ? ["--user", "--map-root-user"] : [];
  return ["unshare", ...user, "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"];
}

/** What root may do to a machine beside its files: see through the wall, take it down, or reach disks and the kernel. */
const capabilitiesTaken = [
  ...["sys_admin", "sys_ptrace", "sys_module", "sys_rawio", "sys_boot", "sys_time", "syslog", "mknod"],
  ...["dac_read_search", "bpf", "perfmon", "checkpoint_restore", "mac_admin", "mac_override"],
];

function withoutPrivileges(wall: NamespaceWall): string[] {
  const taken = wall === "namespaces" ? [`--bounding-set=${capabilitiesTaken.map((name) => `-${name}`)}`] : [];
  // Root in the namespaces alone; a command is the user that it would be without them.
  const { getuid, getgid } = process;
  const back = ["unshare", "--user", `--map-user=${getuid?.()}`, `--map-group=${getgid?.()}`, "--"];
  return [...(wall === "user-namespaces" ? back : []), "setpriv", ...taken, "--inh-caps=-all", "--no-new-privs", "--"];
}
