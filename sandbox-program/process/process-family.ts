// A process family: all processes that a turn, a setup, a service or a terminal started, including
// those that left their group or session. It runs in an enclosure of the wall. Without a wall,
// members are found by a mark in their environment and by their process group.
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folders } from "../folders.ts";
import { waitUntilWhole } from "../rest-of-checkout.ts";
import { createEnclosure, type Enclosure } from "./enclosure.ts";
import type { Entry } from "./entry.ts";
import { getLivingGroup, isRunning, listOtherProcesses } from "./running-processes.ts";
import { createStandby } from "./standby.ts";
import { getWall } from "./wall.ts";

export interface ProcessFamily {
  /** Opens the enclosure once the sandbox is whole. Must be awaited before each command. */
  open(): Promise<void>;
  /**
   * Wraps a command so that it runs as a member, with the family's mark in its environment. The
   * family must be open.
   */
  enter(command: Entry): Entry;
  /**
   * Opens the enclosure and starts that many shells that wait for the next commands. This happens
   * not immediately, but during the call to the model.
   */
  prepare(shells?: number): void;
  /** True while a shell waits. */
  isPrepared(): boolean;
  /**
   * Turns a waiting shell into the command, without input; null if the command must be started
   * normally.
   */
  become(command: Entry): ChildProcess | null;
  /**
   * Adds the process group of a leader, so that members without the mark are found by their group.
   */
  addGroup(leaderId: number): void;
  /** The process id of a member's command. The spawned process may only be a wrapper. */
  findLeader(spawnedId: number): number;
  /** Forgets ended groups, before the kernel reuses their ids. */
  forgetEndedGroups(): void;
  /**
   * Kills every member. Settles when none is left, or after a timeout if the kernel cannot end one.
   */
  killAll(): Promise<void>;
  /** Kills every member and refuses new ones. */
  close(): Promise<void>;
}

/**
 * Starting processes blocks the program. After this delay, the model call that precedes a command
 * has been sent.
 */
const preparedAfterMs = 6;
const passPauseMs = 5;
const passesMax = 400;

/** Creates a family. Its mark is unique on the machine, even among other sandboxes. */
export function createProcessFamily(
  folders: Folders,
  markName: "SWITCHYARD_TURN" | "SWITCHYARD_SERVICE" | "SWITCHYARD_SETUP" | "SWITCHYARD_TERMINAL",
): ProcessFamily {
  const markValue = crypto.randomUUID();
  const groups = new Set<number>();
  const wall = getWall();
  let hasMembers = false;
  let isClosed = false;
  let opening: Promise<Enclosure> | null = null;
  let enclosure: Enclosure | null = null;
  const standby = createStandby();

  async function open(): Promise<void> {
    await waitUntilWhole();
    if (isClosed) throw new Error("Nothing more is started here.");
    if (wall === "none") return;
    opening ??= createEnclosure(wall, folders);
    enclosure = await opening;
  }

  async function prepareSoon(shells: number): Promise<void> {
    while (standby.waiting() < shells) {
      await sleep(preparedAfterMs, undefined, { ref: false });
      await open();
      if (enclosure === null || standby.waiting() >= shells) return;
      const { pid } = standby.start(enclosure.waiting());
      if (pid === undefined) return;
      groups.add(pid);
    }
  }

  const marked = (command: Entry): Entry => ({ ...command, env: { ...command.env, [markName]: markValue } });

  /**
   * Ends the wrappers of commands in an enclosure. They are outside of it and end a moment later.
   */
  async function endGroups(): Promise<void> {
    for (const group of groups) sendSignal(-group, "SIGKILL");
    for (let pass = 0; pass < passesMax && [...groups].some(isRunning); pass++) await sleep(passPauseMs);
    groups.clear();
  }

  async function killAll(): Promise<void> {
    if (wall !== "none") {
      const opened = await opening?.catch(() => null);
      opening = null;
      enclosure = null;
      await opened?.end();
      await endGroups();
      return;
    }
    if (!hasMembers) return;
    await killMarked(markName, markValue, groups);
    hasMembers = false;
  }

  return {
    open,
    // What fails here will fail again when a command is started.
    prepare: (shells = 1) => void prepareSoon(shells).catch(() => {}),
    isPrepared: () => enclosure !== null && standby.waiting() > 0,
    become: (command) => (enclosure === null ? null : standby.become(marked(command))),
    enter(command) {
      if (wall !== "none" && enclosure === null) throw new Error("Nothing more is started here.");
      return enclosure?.enter(marked(command)) ?? marked(command);
    },
    findLeader: (spawnedId) => enclosure?.findLeader(spawnedId) ?? spawnedId,
    addGroup: (leaderId) => {
      hasMembers = true;
      groups.add(leaderId);
    },
    forgetEndedGroups: () => {
      for (const group of groups) {
        if (!sendSignal(-group, 0)) groups.delete(group);
      }
    },
    killAll,
    async close() {
      isClosed = true;
      await killAll();
    },
  };
}

/**
 * Kills the processes with exactly this environment variable, and these groups, until none is left.
 */
export async function killMarked(name: string, value: string, groups = new Set<number>()): Promise<void> {
  // The zero bytes delimit an entry, so that a longer name or value does not match.
  const entry = `\0${name}=${value}\0`;
  for (let pass = 0; pass < passesMax; pass++) {
    const members = findMembers(entry, groups);
    if (members.length === 0) break;
    for (const member of members) sendSignal(member, "SIGKILL");
    await sleep(passPauseMs);
  }
  groups.clear();
}

function findMembers(entry: string, groups: ReadonlySet<number>): number[] {
  return listOtherProcesses().filter(
    (id) => readEnvironment(id).includes(entry) || (groups.size > 0 && groups.has(getLivingGroup(id))),
  );
}

/** Empty for a process that has ended, is a zombie, or belongs to another user. */
export function readEnvironment(id: number): string {
  try {
    return `\0${readFileSync(`/proc/${id}/environ`, "latin1")}\0`;
  } catch {
    return "";
  }
}

/** False if there is no such process or group. */
export function sendSignal(target: number, name: "SIGKILL" | "SIGTERM" | 0): boolean {
  try {
    process.kill(target, name);
    return true;
  } catch {
    return false;
  }
}
