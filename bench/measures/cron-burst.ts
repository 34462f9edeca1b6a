// Many crons that are due in one minute: whether each is recorded once, how soon, and how long
// sends of others wait meanwhile; then more and more of them, up to the limit. The sandboxes of the
// runs are stubbed, so that the figures are the service's; clock, database and alarms are real.
import { availableParallelism, loadavg } from "node:os";
import type { World } from "../../practice/local-service.ts";
import { getSpreadMs } from "../../src/cron/rules/next-fire.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { shortTurn } from "../lib/practice-turn.ts";
import { createProductClient, getJobId } from "../lib/product.ts";
import { type Finding, toComparedFinding, toCountedFinding, toTimedFinding } from "../lib/result.ts";
import { countWalCommits } from "../lib/wal-commits.ts";
import { measuredCron } from "./crons.ts";

export interface BurstSize {
  crons: number;
  /** Samples before the burst. */
  sends: number;
}

const recordedBarMs = 90_000;
const sendBar = 2;
/** For a run and its cron together, from its fire to its end. */
const commitsBar = 12;
/** Longer than the effects of a turn or a run take. */
const quietMs = 200;
const minuteMs = 60_000;
/** Crons are spread over this many projects, as teams do. */
const projects = 50;
/** Creating a cron takes less, if other processes leave the machine's cores free. */
const createMs = 45;
/** The timeout of waiting: this minimum, plus an amount for each cron. */
const leastWaitMs = 5 * minuteMs;
const longestRunMs = 200;
const pollPauseMs = 250;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Measures in a separate world, whose entry is `bench/lib/stubbed-worker.ts`. Its objects are not
 * inspected, because each would write its name when it wakes.
 */
export async function measureCronBurst(
  world: World,
  stateDir: string,
  { crons, sends }: BurstSize,
): Promise<Finding[]> {
  const product = createProductClient(world);
  const { session, jobId } = await product.create(shortTurn);
  await session.completed(jobId);
  async function send(): Promise<number> {
    const reply = await session.send(shortTurn);
    await session.completed(getJobId(reply));
    await sleep(quietMs);
    return reply.ms;
  }
  try {
    const commits = await countCommits(world, stateDir, product.headers);
    const { slot } = await createCrons(world, { count: crons, projectIds: await createProjects(world) });
    const before: number[] = [];
    for (let sent = 0; sent < sends; sent++) before.push(await send());
    if (Date.now() > slot) throw new Error("the slot came before the sends were sampled");
    await sleep(slot - Date.now());
    const recorded = watch(world, slot, crons);
    const meanwhile: number[] = [];
    while (!recorded.isOver()) meanwhile.push(await send());
    const { ms, runs, doubled } = await recorded.over;
    const many = crons.toLocaleString("en");
    return [
      toCountedFinding(
        `${many} crons due in one minute: recorded`,
        ms,
        "ms",
        recordedBarMs,
        `${((runs * 1_000) / ms).toFixed(0)} a second`,
      ),
      toCountedFinding(`${many} crons due in one minute: runs missing or twice`, crons - runs + doubled, "times", 0),
      toComparedFinding(`send while ${many} crons are due, against before`, meanwhile, before, sendBar),
      toCountedFinding("commits of a run and its cron, from the fire to the end", commits, "times", commitsBar),
    ];
  } finally {
    product.close();
  }
}

/** Runs a cron once. Counts the commits of the cron and its run. */
async function countCommits(world: World, stateDir: string, headers: Record<string, string>): Promise<number> {
  const client = createHttpClient(world.baseUrl, headers);
  const crons = `/api/organizations/${world.workspaceId}/crons`;
  const total = async () =>
    (await countWalCommits(stateDir, "CronObject")) + (await countWalCommits(stateDir, "CronRunObject"));
  try {
    const created = await client.post(crons, { ...measuredCron, projectIds: [world.projectId] });
    const cron = `${crons}/${JSON.parse(created.text).data.id}`;
    await sleep(quietMs);
    const before = await countWalCommits(stateDir, "CronObject");
    const { runs } = JSON.parse((await client.post(`${cron}/run`, {})).text).data;
    const status = async () => JSON.parse((await client.get(`${cron}/runs/${runs[0].runId}`)).text).data.status;
    while ((await status()) === "running") await sleep(pollPauseMs);
    await sleep(quietMs);
    const commits = (await total()) - before;
    await client.delete(cron);
    return commits;
  } finally {
    client.close();
  }
}

/**
 * Makes more and more crons due in one minute. Reports for each number when the last one was
 * recorded, and how late they were.
 */
export async function simulateCrons(world: World, levels: readonly number[]): Promise<Finding[]> {
  const projectIds = await createProjects(world);
  const findings: Finding[] = [];
  for (const crons of levels) {
    const { slot, createdMs } = await createCrons(world, { count: crons, projectIds });
    await sleep(slot - Date.now());
    const { ms, runs, doubled } = await watch(world, slot, crons).over;
    const many = `${crons.toLocaleString("en")} crons in one minute`;
    const created = `created in ${(createdMs / 1_000).toFixed(0)} s`;
    findings.push(
      toCountedFinding(
        `${many}: the last one recorded`,
        ms,
        "ms",
        null,
        `${((runs * 1_000) / ms).toFixed(0)} a second; ${created}`,
      ),
      toCountedFinding(`${many}: runs missing or twice`, crons - runs + doubled, "times", 0),
      toTimedFinding(`${many}: after their own second`, await readLags(world, slot), null),
    );
    console.log(`  ${many}: ${(ms / 1_000).toFixed(0)} s, load average ${loadavg()[0]?.toFixed(1)}`);
  }
  return findings;
}

/** How late each run was decided after its slot and its spread, in milliseconds. */
async function readLags({ database }: World, slot: number): Promise<number[]> {
  const runs = database.prepare("SELECT cron_id AS cronId, created_at AS at FROM cron_runs WHERE slot = ?1").bind(slot);
  return (await runs.all<{ cronId: string; at: number }>()).results.map(
    ({ cronId, at }) => at - slot - getSpreadMs(cronId),
  );
}

/** Creates crons that are due at one slot. */
async function createCrons(
  world: World,
  { count, projectIds }: { count: number; projectIds: string[] },
): Promise<{ slot: number; createdMs: number }> {
  const startedAt = Date.now();
  const busy = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism() / 2);
  const slot = Math.ceil((Date.now() + count * createMs * busy) / minuteMs + 1) * minuteMs;
  const due = new Date(slot);
  const cronExpression = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
  const { workspaceId, users } = world;
  const draft = { ...measuredCron, cronExpression, workspaceId, createdBy: users.owner.id, zone: "UTC", model: null };
  const client = createHttpClient(world.baseUrl);
  for (let left = count; left > 0; left -= 500)
    await client.post("/crons", { ...draft, projectIds, count: Math.min(left, 500) });
  client.close();
  const createdMs = Date.now() - startedAt;
  if (Date.now() > slot) throw new Error(`the slot came before ${count} crons were created, after ${createdMs} ms`);
  return { slot, createdMs };
}

/** Copies the demo project. */
async function createProjects({ database, projectId }: World): Promise<string[]> {
  const { results } = await database.prepare("SELECT * FROM projects WHERE id = ?1").bind(projectId).all();
  const demo = results[0] ?? {};
  const ids = Array.from({ length: projects }, () => crypto.randomUUID());
  const columns = Object.keys(demo);
  const insertion = `INSERT INTO projects (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
  await database.batch(
    ids.map((id, place) => {
      const key = `sbench${String(place).padStart(10, "0")}`;
      const copy = { ...demo, id, name: `Project ${place}`, main_sandbox_key: key };
      return database.prepare(insertion).bind(...Object.values(copy));
    }),
  );
  return ids;
}

/** Counts the rows of a slot's runs until each cron has one. */
function watch({ database }: World, slot: number, crons: number) {
  const giveUpMs = leastWaitMs + crons * longestRunMs;
  const rows = database.prepare(
    "SELECT count(*) AS runs, count(DISTINCT cron_id) AS crons FROM cron_runs WHERE slot = ?1 AND is_opened = 1",
  );
  let isOver = false;
  const over = (async () => {
    for (;;) {
      const found = await rows.bind(slot).first<{ runs: number; crons: number }>();
      const ms = Date.now() - slot;
      if (found && (found.crons >= crons || ms > giveUpMs)) {
        isOver = true;
        return { ms, runs: found.crons, doubled: found.runs - found.crons };
      }
      await sleep(pollPauseMs);
    }
  })();
  return { over, isOver: () => isOver };
}
