// Runs of crons: a warm run compared with a session's warm turn with as many tools, the calls for
// opening and ending it, and the memory of eight concurrent runs in one sandbox.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { World } from "../../practice/local-service.ts";
import type { CountedRow } from "../lib/counted-row.ts";
import { type Counts, getDifference } from "../lib/counts.ts";
import { createHttpClient, type HttpClient } from "../lib/http-client.ts";
import { endlessReadsTurn, slowTurn, threeReadsTurn, threeToolTurn } from "../lib/practice-turn.ts";
import { getJobId, type ProductSession } from "../lib/product.ts";
import { type Finding, toComparedFinding, toCountedFinding } from "../lib/result.ts";
import { measureSideBySide } from "../lib/samples.ts";
import type { Bench } from "../lib/saved-work.ts";
import { measuredCron } from "./crons.ts";

export interface CronRunsSize {
  runs: number;
}

const warmRunBar = 1.5;
const roundTripsBar = 2;
const runsAtOnce = 8;
/** In the run whose calls are counted. Each is counted as usage. */
const modelCalls = 1;
const memoryBarKb = 30 * 1_024;
const pollPauseMs = 3;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Compares warm runs with warm turns, and measures the memory of concurrent runs. */
export async function measureCronRuns(bench: Bench, session: ProductSession, size: CronRunsSize): Promise<Finding[]> {
  const client = createHttpClient(bench.world.baseUrl, bench.product.headers);
  const reader = await createCron(client, bench.world, threeReadsTurn);
  try {
    const first = await reader.run();
    await reader.ended(first);
    await reader.settled(first);
    const samples = await measureSideBySide(
      { warmUp: 2, count: size.runs },
      {
        run: async () => {
          const startedAt = performance.now();
          const runId = await reader.run();
          await reader.ended(runId);
          const ms = performance.now() - startedAt;
          await reader.settled(runId);
          return ms;
        },
        turn: async () => {
          const startedAt = performance.now();
          await session.completed(getJobId(await session.send(threeToolTurn)));
          const ms = performance.now() - startedAt;
          await session.settled();
          return ms;
        },
      },
    );
    return [
      toComparedFinding(
        "warm run of three reading steps, against a session's warm turn",
        samples.run,
        samples.turn,
        warmRunBar,
      ),
      await measureMemory(bench, client),
    ];
  } finally {
    await reader.remove();
    client.close();
  }
}

/** The memory of the main sandbox's processes with runs in it, minus that without. */
async function measureMemory({ world, stateDir }: Bench, client: HttpClient): Promise<Finding> {
  const key = world.database
    .prepare("SELECT main_sandbox_key AS key FROM projects WHERE id = ?1")
    .bind(world.projectId);
  const root = join(stateDir, "sandboxes", (await key.first<string>("key")) ?? "");
  const crons = await Promise.all(
    Array.from({ length: runsAtOnce }, () => createCron(client, world, endlessReadsTurn)),
  );
  try {
    // What the earlier warm runs have loaded stays loaded.
    const before = readProcessMemory(root);
    const runs = await Promise.all(crons.map((cron) => cron.started()));
    let most = 0;
    for (let look = 0; look < 40; look++) {
      most = Math.max(most, readProcessMemory(root));
      await sleep(100);
    }
    await Promise.all(crons.map((cron, place) => cron.cancel(runs[place] ?? "")));
    return toCountedFinding(
      `memory of each of ${runsAtOnce} concurrent runs in one sandbox`,
      Math.max(0, most - before) / runsAtOnce,
      "KB",
      memoryBarKb,
      `${(before / 1_024).toFixed(0)} MB of the program without them`,
    );
  } finally {
    for (const cron of crons) await cron.remove();
  }
}

/**
 * Counts the D1 round trips of the objects of a cron and its run. `total` reads the counts of a
 * world with counting bindings.
 */
export async function countCronRuns(
  world: World,
  { total, headers }: { total: (of: "crons") => Promise<Counts>; headers: Record<string, string> },
): Promise<{ findings: Finding[]; rows: CountedRow[] }> {
  const client = createHttpClient(world.baseUrl, headers);
  const cron = await createCron(client, world, slowTurn);
  try {
    await cron.ended(await cron.started());
    await cron.quiet();
    const start = await total("crons");
    const runId = await cron.started();
    await cron.quiet();
    const opened = await total("crons");
    await cron.ended(runId);
    await cron.quiet();
    const ended = await total("crons");
    const opening = getDifference(opened, start);
    const ending = getDifference(ended, opened);
    return {
      findings: [
        toCountedFinding("opening a run: D1 round trips", opening.roundTrips, "times", roundTripsBar),
        toCountedFinding(
          "ending a run: D1 round trips",
          ending.roundTrips - modelCalls,
          "times",
          roundTripsBar,
          "one more is the usage of its model call",
        ),
      ],
      rows: [
        { what: "a run opened, its cron and itself", counts: opening },
        { what: "a run ended, its cron and itself", counts: ending },
      ],
    };
  } finally {
    await cron.remove();
    client.close();
  }
}

/** A cron of the demo project that fires on request. */
async function createCron(client: HttpClient, world: World, prompt: string) {
  const crons = `/api/organizations/${world.workspaceId}/crons`;
  const draft = { ...measuredCron, prompt, projectIds: [world.projectId] };
  const { id } = JSON.parse((await client.post(crons, draft)).text).data;
  const read = async (runId: string) => JSON.parse((await client.get(`${crons}/${id}/runs/${runId}`)).text).data;
  const undone = async (className: string, name: string) =>
    (await world.objectSql(className, name, "SELECT count(*) AS undone FROM effects"))[0]?.undone !== 0;

  /** Starts a run and returns its id without waiting for its end. */
  async function run(): Promise<string> {
    const { runs } = JSON.parse((await client.post(`${crons}/${id}/run`, {})).text).data;
    return runs[0].runId;
  }
  return {
    run,
    /** Starts a run, and waits until the agent has started. */
    async started(): Promise<string> {
      const runId = await run();
      const messages = `${crons}/${id}/runs/${runId}/diagnostics`;
      while (!JSON.parse((await client.get(messages)).text).data.phases.firstEventAt) await sleep(pollPauseMs);
      await sleep(200);
      return runId;
    },
    /** Polls the run until it has ended. Throws if it did not succeed. */
    async ended(runId: string): Promise<void> {
      for (;;) {
        const { status, error } = await read(runId);
        if (status === "succeeded") return;
        if (status !== "running") throw new Error(`a measured run ended ${status}: ${error}`);
        await sleep(pollPauseMs);
      }
    },
    /** Waits until the objects of the run and its cron are idle. */
    async settled(runId: string): Promise<void> {
      while ((await undone("CronRunObject", runId)) || (await undone("CronObject", id))) await sleep(pollPauseMs);
      await sleep(20);
    },
    quiet: async () => {
      while (await undone("CronObject", id)) await sleep(pollPauseMs);
      await sleep(500);
    },
    cancel: async (runId: string) => void (await client.post(`${crons}/${id}/runs/${runId}/cancel`, {})),
    remove: async () => void (await client.delete(`${crons}/${id}`)),
  };
}

/** The memory of a sandbox's program and its agents, in KB. */
function readProcessMemory(root: string): number {
  let kb = 0;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readlinkSync(`/proc/${id}/cwd`) !== root) continue;
      const [, own = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8")) ?? [];
      kb += Number(own);
    } catch {
      // The process has ended.
    }
  }
  return kb;
}
