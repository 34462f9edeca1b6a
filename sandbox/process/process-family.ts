// A family of processes: all that a turn, a setup or a service started, including those that left their group or session. It lives behind the
// program's wall; where there is none, members are found by a mark in their environment and by their group.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folders } from "../folders.ts";
import { type Enclosure, openEnclosure } from "./enclosure.ts";
import type { Environment } from "./environment.ts";
import { standingWall } from "./wall.ts";

export interface ProcessFamily {
  /** To be added to the environment of every member. */
  mark: Environment;
  /** Makes what members need. To be awaited before each command. */
  open(): Promise<void>;
  /** A command as one of the family, which has been opened. */
  enter(argv: string[], cwd: string): string[];
  /** Names the leader of a new process group, so that members without the mark are found by their group. */
  addGroup(leaderId: number): void;
  /** The process of a command that was started as a member: what was spawned may be a way into the enclosure. */
  leaderOf(spawnedId: number): number;
  /** Forgets groups that have ended, before their numbers are given to somebody else. */
  forgetEndedGroups(): void;
  /** Kills every member and settles when none is left, or when the kernel will not let go of one for seconds. */
  killAll(): Promise<void>;
  /** Kills every member, and takes no more. */
  close(): Promise<void>;
}

const passPauseMs = 5;
const passesMax = 400;

/** A family whose mark is unlike that of any other on the machine, whatever other sandboxes run there. */
export function createProcessFamily(
  folders: Folders,
  markName: "SWITCHYARD_TURN" | "SWITCHYARD_SERVICE" | "SWITCHYARD_SETUP",
): ProcessFamily {
  const markValue = crypto.randomUUID();
  const groups = new Set<number>();
  const wall = standingWall();
  let hasMembers = false;
  let isClosed = false;
  let opening: Promise<Enclosure> | null = null;
  let enclosure: Enclosure | null = null;

  async function killAll(): Promise<void> {
    if (wall !== "none") {
      const opened = await opening?.catch(() => null);
      opening = null;
      enclosure = null;
      await opened?.end();
      return;
    }
    if (!hasMembers) return;
    await killMarked(markName, markValue, groups);
    hasMembers = false;
  }

  return {
    mark: { [markName]: markValue },
    async open() {
      if (isClosed) throw new Error("Nothing is started here any more.");
      if (wall === "none") return;
      opening ??= openEnclosure(wall, folders);
      enclosure = await opening;
    },
    enter(argv, cwd) {
      if (wall !== "none" && enclosure === null) throw new Error("Nothing is started here any more.");
      return enclosure?.enter(argv, cwd) ?? argv;
    },
    leaderOf: (spawnedId) => enclosure?.leaderOf(spawnedId) ?? spawnedId,
    addGroup: (leaderId) => {
      hasMembers = true;
      groups.add(leaderId);
    },
    forgetEndedGroups: () => {
      for (const group of groups) {
        if (!signal(-group, 0)) groups.delete(group);
      }
    },
    killAll,
    async close() {
      isClosed = true;
      await killAll();
    },
  };
}

/** Kills the processes that have exactly this variable in their environment, and these groups, until none is left. */
export async function killMarked(name: string, value: string, groups = new Set<number>()): Promise<void> {
  // With the bounds of an entry: a longer name or value is somebody else's.
  const entry = `\0${name}=${value}\0`;
  for (let pass = 0; pass < passesMax; pass++) {
    const members = findMembers(entry, groups);
    if (members.length === 0) break;
    for (const member of members) signal(member, "SIGKILL");
    await sleep(passPauseMs);
  }
  groups.clear();
}

function findMembers(entry: string, groups: ReadonlySet<number>): number[] {
  return otherProcesses().filter(
    (id) => environmentOf(id).includes(entry) || (groups.size > 0 && groups.has(livingGroupOf(id))),
  );
}

/** The ids of all processes on the machine but this one. */
export function otherProcesses(): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((id) => Number.isInteger(id) && id !== process.pid);
}

/** Empty for a process that has ended, that is a zombie, or that belongs to another user. */
export function environmentOf(id: number): string {
  try {
    return `\0${readFileSync(`/proc/${id}/environ`, "latin1")}\0`;
  } catch {
    return "";
  }
}

/** The process group of a process; 0 for one that has ended, though nobody may have taken note of it yet. */
function livingGroupOf(id: number): number {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, "latin1");
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? 0 : Number(group);
  } catch {
    return 0;
  }
}

/** False for a process that has ended, though nobody may have taken note of it yet. */
export const isRunning = (id: number): boolean => livingGroupOf(id) !== 0;

/** False when there is nobody to signal. */
export function signal(target: number, name: "SIGKILL" | "SIGTERM" | 0): boolean {
  try {
    process.kill(target, name);
    return true;
  } catch {
    return false;
  }
}
