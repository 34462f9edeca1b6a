// The memory of the Worker while it reads a marketplace of 300 plugins.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { claimFreePort } from "../../practice/free-port.ts";
import { startWorld } from "../../practice/local-service.ts";
import { startIsolateWatch } from "../lib/isolate-memory.ts";
import { type Finding, toCountedFinding } from "../lib/result.ts";

const run = promisify(execFile);
const pluginsRead = 300;
const memoryBarKb = 64 * 1_024;
const repository = "marketplaces/claude-plugins";
const lookEveryMs = 200;
const readWithinMs = 300_000;

/**
 * Measures the peak memory of the Worker's isolate. Starts a separate service, on separate state.
 */
export async function measureMarketplaceMemory(stateDir: string): Promise<Finding[]> {
  const inspectorPort = await claimFreePort();
  const world = await startWorld({
    ...{ port: await claimFreePort(), stateDir, inspectorPort, rateLimits: "off", hasMarketplaces: true },
  });
  try {
    await addPlugins(join(stateDir, "forge", "repositories", `${repository}.git`));
    const memory = await startIsolateWatch(inspectorPort);
    // The next tick of the clock reads it.
    await world.database.prepare("UPDATE marketplaces SET due_at = 0").run();
    const read = world.database.prepare(
      "SELECT count(*) AS read FROM plugins WHERE name LIKE 'measured-%' AND body_key IS NOT NULL",
    );
    const givenUpAt = Date.now() + readWithinMs;
    while ((await read.first<number>("read")) !== pluginsRead) {
      if (Date.now() > givenUpAt) throw new Error("the marketplace was not read");
      await sleep(lookEveryMs);
    }
    const name = `memory of the Worker, reading a marketplace of ${pluginsRead} plugins`;
    return [toCountedFinding(name, await memory.stop(), "KB", memoryBarKb, "all of its isolate, garbage included")];
  } finally {
    await world.close();
  }
}

async function addPlugins(repositoryFolder: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "measured-marketplace-"));
  const git = (...args: string[]) =>
    run("git", ["-C", folder, "-c", "user.name=M", "-c", "user.email=m@m.test", ...args]);
  try {
    await run("git", ["clone", "-q", repositoryFolder, folder]);
    const names = Array.from({ length: pluginsRead }, (_, at) => `measured-${at}`);
    for (const name of names) {
      await mkdir(join(folder, "plugins", name, "commands"), { recursive: true });
      await writeFile(join(folder, "plugins", name, "commands", "go.md"), "Go. ".repeat(2_000));
      await writeFile(
        join(folder, "plugins", name, "data.json"),
        JSON.stringify({ name, filling: "x".repeat(100_000) }),
      );
    }
    const plugins = names.map((name) => ({ name, source: `./plugins/${name}` }));
    await writeFile(
      join(folder, ".claude-plugin/marketplace.json"),
      JSON.stringify({ name: "practice-claude-plugins", plugins }),
    );
    await git("add", "-A");
    await git("commit", "-qm", "300 plugins");
    await git("push", "-q");
  } finally {
    await rm(folder, { recursive: true });
  }
}
