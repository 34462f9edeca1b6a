// The wall of users, for a machine with a single sandbox. The program runs as its own user, with
// two capabilities of root: to change users and groups. It uses the agent's rights for all file
// access, so that a link cannot lead it to files that the agent may not reach. Its commands run
// entirely as the agent's user, with a group for each family that no process can leave.
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folders } from "../folders.ts";
import { diesFirst, disguise, type Entry, getWrapperEnvironment, waitingShell } from "./entry.ts";

/** The agent's user and group, as the image names them. */
const agent = { uid: 1000, gid: 1000 };
/**
 * The program's user and group. The group has access to the program's state, and no other member.
 */
const program = { uid: 990, gid: 990 };

const lookPauseMs = 5;
const looksMax = 400;

/**
 * Switches to the agent's rights. Processes of the agent's user can neither signal nor inspect this
 * process, whose real user stays the program's. Throws if this is another user, or one without the
 * capabilities.
 */
export function takeAgentsRights(): void {
  const { getuid, setgroups, setegid, seteuid } = process;
  if (!getuid || !setgroups || !setegid || !seteuid) throw new Error("There are no users here.");
  if (getuid() !== program.uid) throw new Error(`The program has to start as the user ${program.uid}.`);
  setgroups([program.gid]);
  setegid(agent.gid);
  seteuid(agent.uid);
}

/**
 * The user and group of a process that this one starts: the program's, with its capabilities.
 * Otherwise it would get some of the agent's rights.
 */
export function getOwnIds(): { uid?: number; gid?: number } {
  const { getuid, getgid, geteuid } = process;
  return getuid && getgid && geteuid?.() !== getuid() ? { uid: getuid(), gid: getgid() } : {};
}

/**
 * Denies the agent access to the program's state, and prevents changes to the sandbox's folder. The
 * program has the agent's rights on files.
 */
export function closeState({ root, state }: Pick<Folders, "root" | "state">): void {
  own(root, 0o775);
  // A restored state belongs to the agent. Only root could change its owner, so its content moves
  // into a folder of the program's user.
  const restored = `${state}.restored`;
  const isRestored = statSync(state, { throwIfNoEntry: false })?.uid === agent.uid;
  if (isRestored) renameSync(state, restored);
  own(state, 0o770);
  if (!isRestored) return;
  showToProgram(restored);
  for (const name of readdirSync(restored)) renameSync(join(restored, name), join(state, name));
  rmdirSync(restored);
}

/**
 * Lets every user read the files of a folder. The agent's library looks for its files with the
 * rights of the program's real user, and a sandbox that another umask made closes them to it.
 */
function showToProgram(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) chmodSync(path, 0o644);
    if (!entry.isDirectory()) continue;
    chmodSync(path, 0o755);
    showToProgram(path);
  }
}

/** Creates a folder of the program's user with this mode. It may already exist. */
function own(folder: string, mode: number): void {
  process.seteuid?.(program.uid);
  try {
    mkdirSync(folder, { recursive: true });
    chownSync(folder, program.uid, program.gid);
    chmodSync(folder, mode);
  } finally {
    process.seteuid?.(agent.uid);
  }
}

/** Numbers of groups, each of which one family has until it releases it. */
export function createGroupNumbers({ from, to }: { from: number; to: number }) {
  const inUse = new Set<number>();
  let next = from;
  return {
    /** A number that no family has. Released ones come last: a process of theirs may live on. */
    claim(): number {
      for (let looks = from; looks < to; looks++) {
        const group = next;
        next = group + 1 < to ? group + 1 : from;
        if (inUse.has(group)) continue;
        inUse.add(group);
        return group;
      }
      throw new Error("Too many commands run at the same time.");
    },
    release(group: number): void {
      inUse.delete(group);
    },
  };
}

/** The groups of the families of this program. */
export const familyGroups = createGroupNumbers({ from: 20_000, to: 60_000 });

/**
 * Wraps a command to run as the agent's user, in a family's group, without the capabilities that
 * the wrapper starts with.
 */
export function toAgentCommand(group: number, { argv, cwd, env }: Entry): Entry {
  const { disguised, restore } = disguise(env);
  const inside = ["/bin/sh", "-c", `${diesFirst} && ${restore} && exec "$@"`, "sh", ...argv];
  return { argv: [...asAgent(group), ...inside], cwd, env: { ...getWrapperEnvironment(), ...disguised } };
}

/**
 * A shell of the program's user. When it receives its order, it switches to the agent's user in a
 * family's group.
 */
export function getAgentWaitingCommand(group: number): Entry {
  return { argv: [...waitingShell, ...asAgent(group), "/bin/sh", "-s"], cwd: "/", env: getWrapperEnvironment() };
}

function asAgent(group: number): string[] {
  const identity = [`--reuid=${agent.uid}`, `--regid=${group}`, "--clear-groups"];
  return ["setpriv", ...identity, "--inh-caps=-all", "--no-new-privs", "--"];
}

/** Kills the processes of a family's group until none is left. */
export async function killGroup(group: number): Promise<void> {
  for (let look = 0; look < looksMax; look++) {
    const members = readdirSync("/proc").filter((id) => isLiving(id, group));
    if (members.length === 0) return;
    for (const id of members) {
      try {
        process.kill(Number(id), "SIGKILL");
      } catch {
        // The process has ended already.
      }
    }
    await sleep(lookPauseMs);
  }
}

/**
 * True for the `/proc/ID/status` of a git that the agent's user runs. Of a process in a family's
 * group, the program can read little else.
 */
export function isGitOfAgent(status: string): boolean {
  return /^Name:\tgit(-|$)/m.test(status) && status.includes(`\nUid:\t${agent.uid}\t`) && !hasEnded.test(status);
}

const hasEnded = /^State:\s+[ZX]/m;

function isLiving(id: string, group: number): boolean {
  if (!/^\d+$/.test(id)) return false;
  try {
    const status = readFileSync(`/proc/${id}/status`, "latin1");
    return !hasEnded.test(status) && status.includes(`\nGid:\t${group}\t`);
  } catch {
    return false;
  }
}
