// The run lock: one world per state folder and port. It also ends the processes that a killed world
// left running.
import { createHash } from "node:crypto";
import { mkdirSync, realpathSync } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { claimName } from "../practice/claimed-name.ts";
import { findSwitchyard } from "./running-service.ts";

interface Run {
  pid: number;
  /**
   * Its child processes. The start time distinguishes a process from a later one with the same pid.
   */
  children: { pid: number; startedAt: string }[];
}

export type Claim =
  | { ok: true; noteChildren(): Promise<void>; release(): Promise<void> }
  /** `address` is that of the conflicting Switchyard; null for anything else. */
  | { ok: false; reason: string; address: string | null };

/**
 * Claims a state folder and a port for this process. If they are in use, the claim has a one-line
 * message.
 */
export async function claimStateDir(stateDir: string, port: number): Promise<Claim> {
  try {
    mkdirSync(stateDir, { recursive: true });
  } catch (error) {
    const reason = `STATE_DIR cannot be made: ${error instanceof Error ? error.message : error}`;
    return { ok: false, reason, address: null };
  }
  const file = `${stateDir}/run.json`;
  const { earlier, isOther, release } = await claimFolder(stateDir, file);
  if (release === null) {
    const address = await findAddress(stateDir);
    const where = address === null ? "" : ` at ${address}`;
    const which = isOther ? ` (process ${earlier?.pid})` : "";
    return { ok: false, reason: `Switchyard already runs from ${stateDir}${where}${which}.`, address };
  }
  await endLeftovers(earlier);
  if (!(await becomesFree(port, earlier ? leftoverWaitMs : 0))) {
    release();
    const address = await findSwitchyard(port);
    const remedy = "Set PORT to another one.";
    return address === null
      ? { ok: false, reason: `Port ${port} is in use. ${remedy}`, address }
      : { ok: false, reason: `Port ${port} is in use by a Switchyard that runs: ${address}. ${remedy}`, address };
  }
  // A file that is half written would hide the run from the next start.
  const write = async (children: Run["children"]) => {
    await writeFile(`${file}.new`, JSON.stringify({ pid: process.pid, children }));
    await rename(`${file}.new`, file);
  };
  await write([]);
  const strangers = new Set<number>();
  return {
    ok: true,
    noteChildren: async () => write(await listChildren(process.pid, strangers)),
    async release() {
      await rm(file, { force: true });
      release();
    },
  };
}

/** What an unfinished start left running ends by itself, on a busy machine only after seconds. */
const leftoverWaitMs = 30_000;

/**
 * Takes the name of a state folder, because of two starts in the same moment neither finds the file
 * of the other. A killed process has its name until its last thread has ended.
 */
async function claimFolder(stateDir: string, file: string) {
  const name = `state-${createHash("sha256").update(realpathSync(stateDir)).digest("hex")}`;
  const until = Date.now() + leftoverWaitMs;
  for (;;) {
    const earlier = await readRun(file);
    const isOther = earlier !== null && (await isAlive(earlier.pid));
    const release = isOther ? null : await claimName(name);
    if (release !== null || isOther || earlier === null || Date.now() >= until) return { earlier, isOther, release };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function readRun(file: string): Promise<Run | null> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return null;
  }
}

/** The address of the world that uses a state folder; null before its first start is complete. */
async function findAddress(stateDir: string): Promise<string | null> {
  try {
    return JSON.parse(await readFile(`${stateDir}/dev.json`, "utf8")).baseUrl;
  } catch {
    return null;
  }
}

async function isAlive(pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return pid !== process.pid && command.includes("scripts/start.ts");
}

async function endLeftovers(run: Run | null): Promise<void> {
  for (const { pid, startedAt } of run?.children ?? []) {
    if ((await findStartTime(pid)) !== startedAt) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // The process may have ended by now.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
    while ((await findStartTime(pid)) === startedAt) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Reads the new processes only: `strangers` has those of earlier looks. A machine has hundreds, and
 * gives the number of an ended process to a new one only after all other numbers.
 */
async function listChildren(parent: number, strangers: Set<number>): Promise<Run["children"]> {
  const numbers = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    numbers.map(async (pid) => {
      if (strangers.has(pid)) return null;
      const [, ppid = "", ...rest] = await readFields(pid);
      if (Number(ppid) === parent) return { pid, startedAt: rest[17] ?? "" };
      strangers.add(pid);
      return null;
    }),
  );
  return found.filter((child) => child !== null);
}

async function findStartTime(pid: number): Promise<string | null> {
  const [state, , ...rest] = await readFields(pid);
  return state === undefined || state === "Z" ? null : (rest[17] ?? null);
}

/**
 * The fields of /proc/<pid>/stat, starting at the state. The name before it may contain spaces and
 * parentheses.
 */
async function readFields(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/**
 * Waits until a port is free: a killed process releases its port only when its last thread has
 * ended.
 */
async function becomesFree(port: number, waitMs: number): Promise<boolean> {
  const until = Date.now() + waitMs;
  while (!(await isFree(port))) {
    if (Date.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
