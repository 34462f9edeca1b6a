// The wall of users, for a machine with a single sandbox, where the program starts as root. The program keeps root as its real user and uses
// the agent's rights for all file access, so that a link cannot lead it to files that the agent may not reach. Its commands run entirely as
// the agent's user, with a group for each family that no process can leave.
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folders } from "../folders.ts";
import { diesFirst, disguise, type Entry, wrapperEnvironment } from "./entry.ts";

/** The agent's user and group, as the image names them. */
const agent = { uid: 1000, gid: 1000 };
/** The group with access to the program's state. The program is its only member. */
const programGroup = 990;
const familyGroups = { from: 20_000, to: 60_000 };

const lookPauseMs = 5;
const looksMax = 400;

/** Switches to the agent's rights. Processes of the agent's user can neither signal nor inspect this process. */
export function takeAgentsRights(): void {
  const { setgroups, setegid, setuid, seteuid } = process;
  if (!setgroups || !setegid || !setuid || !seteuid) throw new Error("There are no users here.");
  // A child of a process with the agent's rights keeps some of its ids, so it becomes root first.
  seteuid(0);
  setuid(0);
  setgroups([programGroup]);
  setegid(agent.gid);
  seteuid(agent.uid);
}

/** Denies the agent access to the program's state, and changes to the sandbox's folder. */
export function closeState({ root, state }: Pick<Folders, "root" | "state">): void {
  process.seteuid?.(0);
  try {
    for (const [folder, mode] of [
      [root, 0o775],
      [state, 0o770],
    ] as const) {
      mkdirSync(folder, { recursive: true });
      chownSync(folder, 0, programGroup);
      chmodSync(folder, mode);
    }
  } finally {
    process.seteuid?.(agent.uid);
  }
}

let familiesMade = 0;

/** A group that no running process has. */
export function nextFamilyGroup(): number {
  familiesMade += 1;
  return familyGroups.from + (familiesMade % (familyGroups.to - familyGroups.from));
}

/** Wraps a command to run as the agent's user, in a family's group. It starts as root, because only root may choose groups. */
export function agentsCommand(group: number, { argv, cwd, env }: Entry): Entry {
  const { disguised, restore } = disguise(env);
  const asRoot = ["setpriv", "--reuid=0", "--"];
  const identity = [`--reuid=${agent.uid}`, `--regid=${group}`, "--clear-groups"];
  const asAgent = ["setpriv", ...identity, "--inh-caps=-all", "--no-new-privs", "--"];
  const inside = ["/bin/sh", "-c", `${diesFirst} && ${restore} && exec "$@"`, "sh", ...argv];
  return { argv: [...asRoot, ...asAgent, ...inside], cwd, env: { ...wrapperEnvironment(), ...disguised } };
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

function isLiving(id: string, group: number): boolean {
  if (!/^\d+$/.test(id)) return false;
  try {
    const status = readFileSync(`/proc/${id}/status`, "latin1");
    return !/^State:\s+[ZX]/m.test(status) && status.includes(`\nGid:\t${group}\t`);
  } catch {
    return false;
  }
}
