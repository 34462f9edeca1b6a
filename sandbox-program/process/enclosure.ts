// An enclosure: the namespaces or the user group of one process family. Every process that a member
// starts stays inside, even after it detaches from its parent, and ends with the enclosure.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folders } from "../folders.ts";
import { type Entry, getWrapperEnvironment } from "./entry.ts";
import { isRunning, listOtherProcesses } from "./running-processes.ts";
import { familyGroups, getAgentWaitingCommand, killGroup, toAgentCommand } from "./users.ts";
import { getFirstProcessCommand, getWaitingCommand, toEnteringCommand, type Wall } from "./wall.ts";

export interface Enclosure {
  /**
   * Wraps a command so that it runs inside. The wrapper does not have the folder and the
   * environment of the command.
   */
  enter(command: Entry): Entry;
  /** A shell that waits at the wall and becomes a command inside when it receives its order. */
  waiting(): Entry;
  /** The process id of a command inside. The spawned process may only be a wrapper. */
  findLeader(spawnedId: number): number;
  /**
   * Kills every process inside. Settles when none is left, or after a timeout if the kernel cannot
   * end one.
   */
  end(): Promise<void>;
}

const endTimeoutMs = 2_000;
const endLookMs = 10;

/** Opens an enclosure. */
export async function createEnclosure(wall: Exclude<Wall, "none">, folders: Folders): Promise<Enclosure> {
  return wall === "users" ? createGroup() : await createNamespaces(wall, folders);
}

/** Opens a group of the agent's user. */
export function createGroup(): Enclosure {
  const group = familyGroups.claim();
  return {
    enter: (command) => toAgentCommand(group, command),
    waiting: () => getAgentWaitingCommand(group),
    findLeader: (spawnedId) => spawnedId,
    end: () => killGroup(group).finally(() => familyGroups.release(group)),
  };
}

/** Opens namespaces. They end with this program, even if it is killed. */
async function createNamespaces(wall: Exclude<Wall, "none" | "users">, folders: Folders): Promise<Enclosure> {
  const [file = "", ...args] = getFirstProcessCommand(wall, folders);
  const holder = spawn(file, args, {
    cwd: "/",
    env: { ...getWrapperEnvironment(), HOME: folders.home },
    // In its own process group, so that a signal to a member's group does not reach it.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => holder.once("exit", () => resolve()).once("error", () => resolve()));
  holder.stdin.on("error", () => {});
  await isReady(holder);
  const first = findChild(holder.pid ?? 0);
  if (first === null) throw new Error("The commands' namespaces could not be found.");
  const namespace = findNamespace(first);

  /**
   * False if a process lives inside, or if one on the machine cannot be placed. Zombies do not
   * count.
   */
  const isEmpty = () =>
    listOtherProcesses().every(
      (id) => id === first || !isRunning(id) || ![namespace, null].includes(findNamespace(id)),
    );
  return {
    enter: (command) => toEnteringCommand(wall, first, command),
    waiting: () => getWaitingCommand(wall, first),
    findLeader: (spawnedId) => findChild(spawnedId) ?? spawnedId,
    async end() {
      try {
        process.kill(first, "SIGKILL");
      } catch {
        // The first process has ended already, and the namespaces with it.
      }
      // The kernel holds the first process back until every zombie inside is reaped. Some belong to
      // the first process of the machine, which may reap late, and in a container without an init
      // never.
      let hasEnded = false;
      const ending = ended.then(() => {
        hasEnded = true;
      });
      const givenUpAt = Date.now() + endTimeoutMs;
      await Promise.race([ending, sleep(endLookMs)]);
      while (!hasEnded && Date.now() < givenUpAt && !isEmpty()) await Promise.race([ending, sleep(endLookMs)]);
    },
  };
}

function isReady(holder: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    holder.stderr?.on("data", (chunk: Buffer) => {
      output = (output + chunk).slice(0, 1_000);
    });
    holder.stdout?.once("data", () => resolve());
    holder.once("error", reject);
    holder.once("close", () => reject(new Error(`The commands' namespaces could not be made. ${output}`.trim())));
  });
}

/** The only child of a process; null if it has none. */
function findChild(id: number): number | null {
  try {
    const [child] = readFileSync(`/proc/${id}/task/${id}/children`, "latin1").split(" ");
    return child ? Number(child) : null;
  } catch {
    return null;
  }
}

/** The namespace of a process's ids; null for one that may not be inspected, or is gone. */
function findNamespace(id: number): string | null {
  try {
    return readlinkSync(`/proc/${id}/ns/pid`);
  } catch {
    return null;
  }
}
