// A family of processes: all that a turn or a service started, including those that left their group or session. Members carry a mark
// in their environment, by which they are found and killed.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "./shell-environment.ts";

export interface ProcessFamily {
  /** To be added to the environment of every member. */
  mark: Environment;
  /** Names the leader of a new process group, so that members without the mark are found by their group. */
  addGroup(leaderId: number): void;
  /** Forgets groups that have ended, before their numbers are given to somebody else. */
  forgetEndedGroups(): void;
  /** Kills every member and settles when none is left, or when the kernel will not let go of one for seconds. */
  killAll(): Promise<void>;
}

const passPauseMs = 5;
const passesMax = 400;

/** A family whose mark is unlike that of any other. */
export function createProcessFamily(markName: string, markValue: string): ProcessFamily {
  const entry = `${markName}=${markValue}`;
  const groups = new Set<number>();
  let hasMembers = false;

  async function killAll(): Promise<void> {
    if (!hasMembers) return;
    for (let pass = 0; pass < passesMax; pass++) {
      for (const group of groups) {
        if (!signal(-group, "SIGKILL")) groups.delete(group);
      }
      const members = findMarked(entry);
      if (members.length === 0 && groups.size === 0) {
        hasMembers = false;
        return;
      }
      for (const member of members) signal(member, "SIGKILL");
      await sleep(passPauseMs);
    }
  }

  return {
    mark: { [markName]: markValue },
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
  };
}

function findMarked(entry: string): number[] {
  const found: number[] = [];
  for (const name of readdirSync("/proc")) {
    const id = Number(name);
    if (!Number.isInteger(id) || id === process.pid) continue;
    if (environmentOf(id).includes(entry)) found.push(id);
  }
  return found;
}

/** Empty for a process that has ended, that is a zombie, or that belongs to another user. */
function environmentOf(id: number): string {
  try {
    return readFileSync(`/proc/${id}/environ`, "latin1");
  } catch {
    return "";
  }
}

/** False when there is nobody to signal. */
function signal(target: number, name: "SIGKILL" | 0): boolean {
  try {
    process.kill(target, name);
    return true;
  } catch {
    return false;
  }
}
