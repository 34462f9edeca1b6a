// The times of pausing and waking a sandbox: of the demo session, whose service must start again,
// and of a large work folder, which must be identical afterwards and never in memory as a whole.
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { claimFreePort } from "../../practice/free-port.ts";
import type { ProductSession } from "../lib/product.ts";
import { type Finding, toCountedFinding, toTimedFinding } from "../lib/result.ts";
import { median } from "../lib/samples.ts";
import { type Bench, pause, wakeUp, writeFiles } from "../lib/saved-work.ts";

export interface SavedWorkSize {
  files: number;
  megabytes: number;
  demoWakes: number;
}

const wakeBarMs = 1_500;
const memoryBarKb = 128 * 1_024;
const pollPauseMs = 10;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const run = promisify(execFile);

/** Pauses and wakes the sandbox of a session without a running turn. */
export async function measureSavedWork(bench: Bench, session: ProductSession, size: SavedWorkSize): Promise<Finding[]> {
  const { sandboxKey } = await bench.product.preview(session.id);
  const root = join(bench.stateDir, "sandboxes", sandboxKey);
  const wakes: number[] = [];
  const starts: number[] = [];
  for (let wake = 0; wake < size.demoWakes; wake++) {
    starts.push(await startAlone(join(root, "project")));
    await session.settled();
    await pause(bench, session, root);
    wakes.push(await wakeUp(bench, session));
  }
  await writeFiles(join(root, "project/large"), size);
  const before = await readDigest(root);
  const memory = watchMemory(root);
  const pauseMs = await pause(bench, session, root);
  const wakeMs = await wakeUp(bench, session);
  const peaks = memory.stop();
  if (Object.values(peaks).includes(0)) throw new Error("the archiver or the sandbox program was not found");
  if ((await readDigest(root)) !== before) throw new Error("the work folder differs after its wake");
  // Later groups send to this session too, and the diff after each of its turns would read all of
  // these files.
  await rm(join(root, "project/large"), { recursive: true });
  const what = `${size.megabytes} MB in ${size.files} files`;
  return [
    toTimedFinding(
      "wake of the demo session, over its service's own start",
      wakes.map((ms) => ms - median(starts)),
      wakeBarMs,
    ),
    toTimedFinding(`pause of ${what}`, [pauseMs], null),
    toTimedFinding(`wake of ${what}`, [wakeMs], null, "not a byte different"),
    toCountedFinding("most memory of the archiver", peaks.archiver, "KB", memoryBarKb),
    toCountedFinding(
      "most memory of the sandbox program",
      peaks.sandbox,
      "KB",
      memoryBarKb,
      "the agent's library included",
    ),
  ];
}

/** Returns the milliseconds from the start of the demo app, by itself, to its first response. */
async function startAlone(project: string): Promise<number> {
  const port = await claimFreePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["server.js"], {
    cwd: project,
    env: { PATH: process.env.PATH ?? "", PORT: String(port) },
    stdio: "ignore",
  });
  try {
    while (!(await fetch(`http://localhost:${port}/`).catch(() => null))) await sleep(pollPauseMs);
    return performance.now() - startedAt;
  } finally {
    child.kill("SIGKILL");
  }
}

/** A hash of the project folder: names, types, modes, times in seconds and contents. */
async function readDigest(root: string): Promise<string> {
  const tar = spawn("tar", ["--sort=name", "--create", "--file=-", "--exclude=.git", "project"], { cwd: root });
  const hash = createHash("sha256");
  for await (const chunk of tar.stdout) hash.update(chunk);
  const { stdout } = await run("git", ["-C", join(root, "project"), "rev-parse", "HEAD"]);
  return hash.update(stdout).digest("hex");
}

/** Tracks the resident memory of a sandbox's program and archiver. */
function watchMemory(root: string) {
  const peaks = { archiver: 0, sandbox: 0 };
  const look = () => {
    for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      const command = readProcess(id, "cmdline");
      const kind = /\b(archiver|sandbox)\.cjs/.exec(command)?.[1] as keyof typeof peaks | undefined;
      if (!kind || getWorkFolder(id) !== root) continue;
      const [, kb = "0"] = /VmRSS:\s+(\d+)/.exec(readProcess(id, "status")) ?? [];
      peaks[kind] = Math.max(peaks[kind], Number(kb));
    }
  };
  const timer = setInterval(look, 50);
  return {
    stop() {
      clearInterval(timer);
      return peaks;
    },
  };
}

function readProcess(id: string, file: "cmdline" | "status"): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, "utf8");
  } catch {
    return "";
  }
}

function getWorkFolder(id: string): string {
  try {
    return readlinkSync(`/proc/${id}/cwd`);
  } catch {
    return "";
  }
}
