// How the service grows: the lists of workspaces with more and more sessions, changes with more and
// more listeners, sandboxes with more and more work. What a run of a cron asks of the database is
// counted, too. `bench/lib/growth-figures.ts` computes from this what no single machine can show.
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { World } from "../../practice/local-service.ts";
import { createCountReader } from "../lib/count-reader.ts";
import { getDifference, readCounts } from "../lib/counts.ts";
import type { Growth, ListenersFigures, RunFigures, SessionsFigures, WorkFigures } from "../lib/growth-figures.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { shortTurn } from "../lib/practice-turn.ts";
import { createProductClient } from "../lib/product.ts";
import { median } from "../lib/samples.ts";
import { type Bench, pause, wakeUp } from "../lib/saved-work.ts";
import { countCronRuns } from "./cron-runs.ts";
import { createChanging } from "./workspace-stream.ts";

export interface GrowthSize {
  sessions: number[];
  listeners: number[];
  megabytes: number[];
  samples: number;
}

const sessionsPerStatement = 10_000;

/** Measures in a separate world, whose entry is `bench/lib/counted-worker.ts`. */
export async function measureGrowth(world: World, stateDir: string, size: GrowthSize): Promise<Growth> {
  const product = createProductClient(world);
  const bench = { world, stateDir, product };
  try {
    const runs = await countRun(bench);
    const work: WorkFigures[] = [];
    for (const megabytes of size.megabytes) work.push(await measureWork(bench, megabytes));
    const listeners: ListenersFigures[] = [];
    for (const count of size.listeners) listeners.push(await measureListeners(world, count, size.samples));
    const sessions: SessionsFigures[] = [];
    for (const count of size.sessions) sessions.push(await measureSessions(bench, count, size.samples));
    return { sessions, runs, listeners, work };
  } finally {
    product.close();
  }
}

/** Fills the workspace up to this many sessions, and reads its lists. */
async function measureSessions({ world, product }: Bench, count: number, samples: number): Promise<SessionsFigures> {
  const { database, workspaceId, projectId } = world;
  const bytesBefore = await fillSessions(world, count);
  const client = createHttpClient(world.baseUrl, product.headers);
  const lists = {
    page: `/api/projects/${projectId}/chat-sessions?pageSize=50`,
    waiting: `/api/chat-sessions?workspace=${workspaceId}&needsYou=true&pageSize=50`,
    search: `/api/chat-sessions?workspace=${workspaceId}&search=departure&pageSize=50`,
  };
  const read = async (path: string) => {
    const { rowsRead } = readCounts(await client.get(path));
    const times: number[] = [];
    for (let at = 0; at < samples; at++) times.push((await client.get(path)).ms);
    return { ms: median(times), rowsRead };
  };
  try {
    const [page, waiting, search] = [await read(lists.page), await read(lists.waiting), await read(lists.search)];
    const { meta } = await database.prepare("SELECT 1").run();
    return { count, page, waiting, search, bytesOfOne: (meta.size_after - bytesBefore) / count };
  } finally {
    client.close();
  }
}

/** Copies a session's row. Returns the size of the database without the copies, in bytes. */
async function fillSessions({ database, workspaceId }: World, count: number): Promise<number> {
  await database.prepare("DELETE FROM sessions WHERE id GLOB '00000000-*'").run();
  const { results, meta } = await database
    .prepare("SELECT * FROM sessions WHERE workspace_id = ?1 LIMIT 1")
    .bind(workspaceId)
    .all();
  const { id, ...row } = results[0] ?? {};
  const columns = Object.keys(row);
  const changed: Record<string, string> = {
    sandbox_key: "printf('s%016d', n)",
    title: "'Departure board ' || n",
    search_title: "'departure board ' || n",
    status: "iif(n % 10, 'completed', 'active')",
    needs_you: "iif(n % 100, NULL, 'job_failed')",
    updated_at: "updated_at - n",
    created_at: "created_at - n",
  };
  for (let first = 0; first < count; first += sessionsPerStatement)
    await database
      .prepare(
        `WITH RECURSIVE past(n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM past WHERE n + 1 < ?2)
         INSERT INTO sessions (id, ${columns.join(", ")})
         SELECT printf('00000000-0000-7000-8000-%012d', n), ${columns.map((name) => changed[name] ?? name).join(", ")}
         FROM past, sessions WHERE id = ?3`,
      )
      .bind(first, Math.min(first + sessionsPerStatement, count), id)
      .run();
  return meta.size_after;
}

/** Measures a change until the last listener has it, and how long objects are busy with it. */
async function measureListeners(world: World, count: number, samples: number): Promise<ListenersFigures> {
  const reader = createCountReader(world);
  const changing = await createChanging(world, count);
  try {
    const times: number[] = [];
    const busy: number[] = [];
    for (let at = 0; at < samples; at++) {
      const before = await reader.quietTotal();
      const startedAt = performance.now();
      await changing.withAll(await changing.change());
      times.push(performance.now() - startedAt);
      busy.push(getDifference(await reader.quietTotal(), before).objectBusyMs);
    }
    return { count, ms: median(times), busyMs: median(busy) };
  } finally {
    changing.close();
    reader.close();
  }
}

/** Counts a run of a cron, from its opening to its end. */
async function countRun({ world, product }: Bench): Promise<RunFigures> {
  const reader = createCountReader(world);
  try {
    const { rows } = await countCronRuns(world, { total: reader.total, headers: product.headers });
    const sum = (name: "statements" | "rowsWritten") => rows.reduce((total, { counts }) => total + counts[name], 0);
    return { statements: sum("statements"), rowsWritten: sum("rowsWritten") };
  } finally {
    reader.close();
  }
}

/** Fills the work folder of a new session, and pauses and wakes its sandbox. */
async function measureWork(bench: Bench, megabytes: number): Promise<WorkFigures> {
  const { world, product, stateDir } = bench;
  const reader = createCountReader(world);
  const { session, jobId } = await product.create(shortTurn);
  await session.completed(jobId);
  const { sandboxKey } = await product.preview(session.id);
  const root = join(stateDir, "sandboxes", sandboxKey);
  try {
    await writeNoise(join(root, "project/large"), megabytes);
    await session.settled();
    const [before, cpuBefore] = [await reader.total(), readWorkerCpuMs()];
    const pauseMs = await pause(bench, session, root);
    const [paused, pausedCpu] = [await reader.total(), readWorkerCpuMs()];
    const wakeMs = await wakeUp(bench, session);
    const bytes = await world.database
      .prepare("SELECT bytes FROM stored_objects WHERE key LIKE ?1")
      .bind(`%${sandboxKey}%`)
      .first<number>("bytes");
    return {
      ...{ megabytes, pauseMs, wakeMs, storeWrites: getDifference(paused, before).storeWrites },
      ...{ pauseCpuMs: pausedCpu - cpuBefore, savedMegabytes: (bytes ?? 0) / 1e6 },
    };
  } finally {
    reader.close();
  }
}

const msPerTick = 10;

/** Writes files of a megabyte, which do not compress. */
async function writeNoise(folder: string, megabytes: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let file = 0; file < megabytes; file++) await writeFile(join(folder, `file-${file}`), randomBytes(1e6));
}

/** The CPU time of the processes of workerd that this process has started, in milliseconds. */
function readWorkerCpuMs(): number {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, id) => sum + readOne(id), 0);
}

function readOne(id: string): number {
  try {
    // The name of the command is in parentheses, and may have spaces.
    const [, name, rest = ""] = /\((.*)\) (.*)/.exec(readFileSync(`/proc/${id}/stat`, "utf8")) ?? [];
    const fields = rest.split(" ");
    if (name !== "workerd" || Number(fields[1]) !== process.pid) return 0;
    return (Number(fields[11]) + Number(fields[12])) * msPerTick;
  } catch {
    // The process has ended.
    return 0;
  }
}
