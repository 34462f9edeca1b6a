// An enclosure: the namespaces or the user group of one process family. Every process that a member starts stays inside, even after it detaches
// from its parent, and ends with the enclosure.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Folders } from "../folders.ts";
import { type Entry, wrapperEnvironment } from "./entry.ts";
import { agentsCommand, killGroup, nextFamilyGroup } from "./users.ts";
import { enteringCommand, firstProcess, type Wall } from "./wall.ts";

export interface Enclosure {
  /** Wraps a command so that it runs inside. The wrapper does not have the folder and the environment of the command. */
  enter(command: Entry): Entry;
  /** The process id of a command inside. The spawned process may only be a wrapper. */
  leaderOf(spawnedId: number): number;
  /** Kills every process inside. Settles when none is left, or after a timeout if the kernel cannot end one. */
  end(): Promise<void>;
}

const endTimeoutMs = 2_000;

/** Opens an enclosure. */
export async function openEnclosure(wall: Exclude<Wall, "none">, folders: Folders): Promise<Enclosure> {
  return wall === "users" ? openGroup() : await openNamespaces(wall, folders);
}

/** Opens a group of the agent's user. */
export function openGroup(): Enclosure {
  const group = nextFamilyGroup();
  return {
    enter: (command) => agentsCommand(group, command),
    leaderOf: (spawnedId) => spawnedId,
    end: () => killGroup(group),
  };
}

/** Opens namespaces. They end with this program, even if it is killed. */
async function openNamespaces(wall: Exclude<Wall, "none" | "users">, folders: Folders): Promise<Enclosure> {
  const [file = "", ...args] = firstProcess(wall, folders);
  const holder = spawn(file, args, {
    cwd: "/",
    env: { ...wrapperEnvironment(), HOME: folders.home },
    // In its own process group, so that a signal to a member's group does not reach it.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => holder.once("exit", () => resolve()).once("error", () => resolve()));
  holder.stdin.on("error", () => {});
  await isReady(holder);
  const first = childOf(holder.pid ?? 0);
  if (first === null) throw new Error("The commands' namespaces could not be found.");

  return {
    enter: (command) => enteringCommand(wall, first, command),
    leaderOf: (spawnedId) => childOf(spawnedId) ?? spawnedId,
    async end() {
      try {
        process.kill(first, "SIGKILL");
      } catch {
        // The first process has ended already, and the namespaces with it.
      }
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, endTimeoutMs);
      });
      await Promise.race([ended, timeout]);
      clearTimeout(timer);
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
function childOf(id: number): number | null {
  try {
    const [child] = readFileSync(`/proc/${id}/task/${id}/children`, "latin1").split(" ");
    return child ? Number(child) : null;
  } catch {
    return null;
  }
}
