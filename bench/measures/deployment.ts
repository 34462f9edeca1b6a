// The upload size of a deployment, and the time until `npm start` is ready: on existing state, and
// with a large repository of the user's own.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimFreePort } from "../../practice/free-port.ts";
import { readUploadKb, uploadLimitKb } from "../../scripts/upload-size.ts";
import { copiedEntry, withWorkerSource } from "../../scripts/worker-source.ts";
import { type Finding, toCountedFinding, toTimedFinding } from "../lib/result.ts";
import { median, type Samples } from "../lib/samples.ts";

const root = join(import.meta.dirname, "../..");
const restartBarMs = 10_000;
/** In addition to a start without the repository. */
const ownRepositoryBarMs = 20_000;
const ownRepositoryMegabytes = 200;
const restartWaitMs = 60_000;

/** Builds the Worker as a deployment does, and measures its gzipped size. */
export async function measureBundle(): Promise<Finding> {
  const wrangler = "node_modules/wrangler/bin/wrangler.js";
  // Building the container image needs Docker.
  const deploy = ["deploy", copiedEntry, "--dry-run", "--containers-rollout=none", "--minify", "--env", "production"];
  const { status, stdout, stderr } = await withWorkerSource(root, async () =>
    spawnSync(process.execPath, [wrangler, ...deploy], { cwd: root, env: environment(), encoding: "utf8" }),
  );
  if (status !== 0) throw new Error(`the deploy build ended with ${status}: ${stderr}`);
  return toCountedFinding("Worker bundle, gzipped", readUploadKb(stdout), "KB", uploadLimitKb);
}

/**
 * Runs `npm start` on an unused state folder until it is ready. Then runs it again with a
 * repository that the state does not have yet.
 */
export async function measureRestarts(stateDir: string, count: number): Promise<Finding[]> {
  const samples: Samples = [];
  for (let number = 0; number < count; number++) samples.push(await restart(stateDir));
  const folder = createRepository(ownRepositoryMegabytes);
  try {
    const withRepository = await restart(stateDir, "--repo", folder);
    return [
      toTimedFinding("npm start, restart to ready", samples, restartBarMs),
      toCountedFinding(
        `npm start --repo, ${ownRepositoryMegabytes} MB, beyond a plain start`,
        Math.max(0, withRepository - median(samples)),
        "ms",
        ownRepositoryBarMs,
      ),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates a repository of files that do not compress. */
function createRepository(megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-large-"));
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.com"];
    const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd: folder, env: environment() });
    if (status !== 0) throw new Error(`git ${args[0]} ended with ${status}: ${stderr}`);
  };
  git("init", "--quiet", "--initial-branch=main");
  for (let file = 0; file < megabytes; file++) writeFileSync(join(folder, `file-${file}.bin`), randomBytes(1 << 20));
  git("add", "--all");
  git("commit", "--quiet", "--message", "Large files");
  return folder;
}

async function restart(stateDir: string, ...flags: string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["setup.mjs", "scripts/start.ts", ...flags], {
    cwd: root,
    env: { ...environment(), PORT: String(await claimFreePort()), STATE_DIR: stateDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let timer: NodeJS.Timeout | undefined;
  const ready = new Promise<number>((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
      if (output.includes("is ready at")) resolve(performance.now() - startedAt);
    });
    child.once("exit", (code) => reject(new Error(`npm start ended with ${code}: ${output}`)));
    timer = setTimeout(() => reject(new Error(`npm start was not ready in time: ${output}`)), restartWaitMs);
  });
  try {
    return await ready;
  } finally {
    clearTimeout(timer);
    child.kill("SIGTERM");
    await ended;
  }
}

function environment(): Record<string, string> {
  const { PATH = "/usr/bin:/bin", HOME = tmpdir() } = process.env;
  return { PATH, HOME, LANG: "C.UTF-8", CI: "1", WRANGLER_SEND_METRICS: "false" };
}
