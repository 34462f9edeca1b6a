// The wall of users, for a machine that is one sandbox's own, where the program starts as root. The program keeps root as its real user and
// takes the agent's rights for everything that it does to files, so that no link leads it further than the agent could go. What it runs is
// the agent's user in every respect, and of a group of its own for each family, which no process can leave.
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folders } from "../folders.ts";

/** The agent's user and group, as the image names them. */
const agent = { uid: 1000, gid: 1000 };
/** Whose members reach the program's state: the program alone. */
const programGroup = 990;
const familyGroups = { from: 20_000, to: 60_000 };

const lookPauseMs = 5;
const looksMax = 400;

/** Takes the agent's rights. From here on no process of the agent's user may signal this one or look into it. */
export function takeAgentsRights(): void {
  const { setgroups, setegid, setuid, seteuid } = process;
  if (!setgroups || !setegid || !setuid || !seteuid) throw new Error("There are no users here.");
  // A process that one with the agent's rights has started is the agent's in part until it has been root.
  seteuid(0);
  setuid(0);
  setgroups([programGroup]);
  setegid(agent.gid);
  seteuid(agent.uid);
}

/** Closes the program's state to the agent, and the sandbox's folder to changes. */
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

/** A group that no living process has. */
export function nextFamilyGroup(): number {
  familiesMade += 1;
  return familyGroups.from + (familiesMade % (familyGroups.to - familyGroups.from));
}

/** A command as the agent's user, in a family's group. Only root may choose groups, and root does nothing else. */
export function agentsCommand(group: number, argv: string[]): string[] {
  const asRoot = ["setpriv", "--reuid=0", "--"];
  const identity = [`--reuid=${agent.uid}`, `--regid=${group}`, "--clear-groups"];
  return [...asRoot, "setpriv", ...identity, "--inh-caps=-all", "--no-new-privs", "--", ...argv];
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
        // It ended on its own.
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
