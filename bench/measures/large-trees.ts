// The pause and the wake of sandboxes with large trees that a base has: many small files, and
// installed packages. They are compared with tar, which writes and reads the same files on the same
// disk.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { World } from "../../practice/local-service.ts";
import { createProjectClient } from "../lib/deployed-project.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { shortTurn } from "../lib/practice-turn.ts";
import { createProductClient, type ProductSession } from "../lib/product.ts";
import { type Finding, toComparedFinding, toCountedFinding, toTimedFinding } from "../lib/result.ts";
import { measureSideBySide, type Samples } from "../lib/samples.ts";
import { type Bench, pause, wakeUp, writeFiles } from "../lib/saved-work.ts";

export interface LargeTreesSize {
  /** Of the tree of small files. */
  files: number;
  /** Of the installed packages. */
  megabytes: number;
  rounds: number;
}

/** From the kept disk, and from storage. */
const wakeBar = 1.2;
const pauseBar = 1;
/** From the request to the turn's start. */
const startBarMs = 1_000;
/** A pause saves what the session has changed, and nothing that its base has. */
const savedKbBar = 512;
const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Measures both trees, each in a session that started from a base with it. */
export async function measureLargeTrees(
  service: { world: World; stateDir: string },
  { files, megabytes, rounds }: LargeTreesSize,
): Promise<Finding[]> {
  const bench = { ...service, product: createProductClient(service.world) };
  const folder = await mkdtemp(join(tmpdir(), "switchyard-trees-"));
  try {
    const small = join(folder, "small-files");
    await writeFiles(small, { files, megabytes: Math.ceil(files / 500) });
    const packages = join(folder, "packages");
    await copyPackages(packages, megabytes);
    return [
      ...(await measureTree(bench, { what: `${files} small files`, source: small, rounds })),
      ...(await measureTree(bench, { what: `${megabytes} MB of packages`, source: packages, rounds })),
    ];
  } finally {
    bench.product.close();
    await rm(folder, { recursive: true });
  }
}

/** Copies installed packages of this repository until they have this size. */
async function copyPackages(folder: string, megabytes: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  let left = megabytes * 1_000_000;
  for (const name of (await readdir(join(root, "node_modules"))).sort()) {
    const source = join(root, "node_modules", name);
    const bytes = await countBytes(source);
    if (bytes > left) continue;
    await cp(source, join(folder, name), { recursive: true, verbatimSymlinks: true });
    left -= bytes;
  }
}

async function countBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

async function measureTree(
  bench: Bench,
  { what, source, rounds }: { what: string; source: string; rounds: number },
): Promise<Finding[]> {
  const { session, folder, startMs } = await startFromBase(bench, source);
  const { world, stateDir } = bench;
  const references = join(stateDir, `reference-${session.id}`);
  await mkdir(references);
  const archive = join(references, "files.tar");
  const samples: Record<"packed" | "unpacked" | "paused" | "woken" | "restored", Samples> = {
    packed: [],
    unpacked: [],
    paused: [],
    woken: [],
    restored: [],
  };
  const tar = async (cwd: string, ...args: string[]) => {
    const startedAt = performance.now();
    await run("tar", [...args, "--file", archive], { cwd });
    return performance.now() - startedAt;
  };
  const key = await findKey(bench, session);
  let number = 0;
  const sides = {
    async tar() {
      const empty = join(references, `${number++}`);
      await mkdir(empty);
      const packed = await tar(folder, "--create", "project");
      const unpacked = await tar(empty, "--extract");
      samples.packed.push(packed);
      samples.unpacked.push(unpacked);
      return packed + unpacked;
    },
    async sandbox() {
      await session.settled();
      await writeFile(join(folder, "project/work.txt"), `round ${number}`);
      const paused = await pause(bench, session, folder);
      const woken = await wakeUp(bench, session);
      samples.paused.push(paused);
      samples.woken.push(woken);
      return paused + woken;
    },
    async storage() {
      await session.settled();
      await writeFile(join(folder, "project/work.txt"), `storage of round ${number}`);
      await pause(bench, session, folder);
      const disk = `${world.sandboxHostUrl}/sandboxes/${key}?discard`;
      if (!(await fetch(disk, { method: "DELETE" })).ok) throw new Error("the kept disk was not deleted");
      const restored = await wakeUp(bench, session);
      samples.restored.push(restored);
      return restored;
    },
  };
  await measureSideBySide({ warmUp: 0, count: rounds }, sides);
  const saved = world.database.prepare("SELECT bytes FROM stored_objects WHERE key = ?1");
  const bytes = await saved.bind(`sandboxes/${key}/`).first<number>("bytes");
  return [
    toComparedFinding(`wake of ${what}, against tar -x`, samples.woken, samples.unpacked, wakeBar),
    toComparedFinding(`wake of ${what} from storage, against tar -x`, samples.restored, samples.unpacked, wakeBar),
    toComparedFinding(`pause of ${what}, against tar -c`, samples.paused, samples.packed, pauseBar),
    toTimedFinding(`start from a base with ${what}`, [startMs], startBarMs),
    toCountedFinding(`saved by a pause of ${what}`, Math.ceil((bytes ?? 0) / 1_024), "KB", savedKbBar),
  ];
}

const findKey = async ({ product }: Bench, session: ProductSession) => (await product.preview(session.id)).sandboxKey;

/**
 * Makes a base with the tree, which setup gets as a tar, because a sandbox cannot see the folder.
 * Starts a session from it, and returns its sandbox's folder and the milliseconds of the start.
 */
async function startFromBase(
  bench: Bench,
  source: string,
): Promise<{ session: ProductSession; folder: string; startMs: number }> {
  const { world, product, stateDir } = bench;
  const client = createHttpClient(world.baseUrl, product.headers);
  const project = createProjectClient(bench, client, world.projectId);
  const settings = await project.settings();
  const server = createServer((socket) => {
    const tar = spawn("tar", ["--create", "."], { cwd: source, stdio: ["ignore", "pipe", "inherit"] });
    tar.stdout.pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const setup = [
    "mkdir -p .git/info node_modules && echo node_modules >> .git/info/exclude",
    `tar --extract --directory node_modules < /dev/tcp/127.0.0.1/${port}`,
  ];
  await project.change({ ...settings, setup });
  try {
    const made = await product.create(shortTurn);
    await made.session.completed(made.jobId);
    await made.session.settled();
    const startedAt = performance.now();
    const { session, jobId } = await product.create(shortTurn);
    await session.started(jobId);
    const startMs = performance.now() - startedAt;
    await session.completed(jobId);
    await session.settled();
    const key = await findKey(bench, session);
    const used = world.database.prepare("SELECT base_id FROM base_users WHERE sandbox_key = ?1").bind(key);
    if ((await used.first()) === null) throw new Error("the session did not start from a base");
    return { session, folder: join(stateDir, "sandboxes", key), startMs };
  } finally {
    await project.change(settings);
    client.close();
    server.close();
  }
}
