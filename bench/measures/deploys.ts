// Deploys and spares: a session that starts in a spare compared with a cold start, also for a
// project with a long setup; the Deploy of the demo project; and the memory of a spare.
import { join } from "node:path";
import { readCounts } from "../lib/counts.ts";
import { createProjectClient, type DeployedProject } from "../lib/deployed-project.ts";
import { createHttpClient, type Reply } from "../lib/http-client.ts";
import { endlessTurn, shortTurn } from "../lib/practice-turn.ts";
import type { Product, ProductSession } from "../lib/product.ts";
import { type Finding, toComparedFinding, toCountedFinding } from "../lib/result.ts";
import { measureSideBySide, type Rounds } from "../lib/samples.ts";
import { readMemory } from "../lib/sandbox-memory.ts";
import type { Bench } from "../lib/saved-work.ts";

export interface DeploysSize {
  starts: number;
  slowStarts: number;
  deploys: number;
}

/** A start in a spare, relative to the cold start of the same project. */
const spareBar = 0.45;
/** With a long setup, relative to the start in a spare without it. */
const slowSetupBar = 1.2;
/** The demo project's Deploy, relative to a cold session from its start to its healthy service. */
const deployBar = 4;
const memoryBar = 1.05;
/** One D1 query for access, and one object call for the response. */
const oncePerRequest = 1;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Measures Deploys of the demo project, and of a second project that is deleted afterwards.
 * Restores the demo project's settings.
 */
export async function measureDeploys(bench: Bench, size: DeploysSize): Promise<Finding[]> {
  const { world, product } = bench;
  const client = createHttpClient(world.baseUrl, product.headers);
  const demo = createProjectClient(bench, client, world.projectId);
  const settings = await demo.settings();
  try {
    const { deploys, healthy } = await measureSideBySide(
      { warmUp: 1, count: size.deploys },
      { deploys: demo.deploy, healthy: () => coldUntilHealthy(bench, demo) },
    );
    const { cold, spare } = await measureStarts(bench, demo, { warmUp: 1, count: size.starts });
    const memory = await measureMemory(bench, demo);
    await demo.change({ ...settings, setup: [...settings.setup, "sleep 5"] });
    const slow = await measureStarts(bench, demo, { warmUp: 1, count: size.slowStarts });
    await demo.change(settings);
    return [
      toComparedFinding("session in a spare, create to running, against a cold start", spare, cold, spareBar),
      toComparedFinding("session in a spare, setup of 5 s against none", slow.spare, spare, slowSetupBar),
      toComparedFinding(
        "Deploy of the demo project, against a cold session until healthy",
        deploys,
        healthy,
        deployBar,
      ),
      memory,
    ];
  } finally {
    await demo.change(settings);
    client.close();
  }
}

/**
 * Counts what requests about Deploys ask of the database and of objects, in a world with counting
 * bindings.
 */
export async function countDeploys(bench: Pick<Bench, "world" | "product">): Promise<Finding[]> {
  const { world, product } = bench;
  const client = createHttpClient(world.baseUrl, product.headers);
  const demo = createProjectClient(bench, client, world.projectId);
  try {
    await demo.deploy();
    await demo.say(endlessTurn);
    await demo.works();
    const replies: [string, Reply][] = [
      ["queued message of the Deploy Chat", await demo.say(shortTurn)],
      ["Deploy Chat read", await demo.messages()],
      ["Deploys listed", await demo.list()],
    ];
    await demo.cancel();
    return replies.flatMap(([what, reply]) => [
      toCountedFinding(`${what}: D1 round trips`, readCounts(reply).roundTrips, "times", oncePerRequest),
      toCountedFinding(`${what}: object calls`, readCounts(reply).objectCalls, "times", oncePerRequest),
    ]);
  } finally {
    client.close();
  }
}

/** Starts sessions with a first message, in a spare and cold, side by side. */
async function measureStarts({ product, world }: Bench, project: DeployedProject, rounds: Rounds) {
  const start = async (wants: "spare" | "cold") => {
    const key = await project.spare();
    if (wants === "cold") await project.hideSpare();
    const startedAt = performance.now();
    const { session, jobId } = await product.create(shortTurn);
    await session.started(jobId);
    const ms = performance.now() - startedAt;
    if (((await readSandboxKey(world, session)) === key) !== (wants === "spare"))
      throw new Error(`the session did not start ${wants}`);
    await over(product, world, session, jobId);
    return ms;
  };
  return await measureSideBySide(rounds, { cold: () => start("cold"), spare: () => start("spare") });
}

async function coldUntilHealthy({ product, world }: Bench, project: DeployedProject): Promise<number> {
  await project.hideSpare();
  const startedAt = performance.now();
  const { session, jobId } = await product.create(shortTurn);
  await product.preview(session.id);
  const ms = performance.now() - startedAt;
  await over(product, world, session, jobId);
  return ms;
}

/** Deletes a session after its turn, so that its sandbox occupies no slot. */
async function over(product: Product, world: Bench["world"], session: ProductSession, jobId: string): Promise<void> {
  await session.completed(jobId);
  await session.settled();
  const client = createHttpClient(world.baseUrl, product.headers);
  await client.delete(`/api/projects/${world.projectId}/chat-sessions/${session.id}`);
  client.close();
  await sleep(300);
}

async function readSandboxKey({ database }: Bench["world"], { id }: ProductSession): Promise<string> {
  const found = database.prepare("SELECT sandbox_key AS key FROM sessions WHERE id = ?1").bind(id);
  return (await found.first<string>("key")) ?? "";
}

/** Measures a spare next to the sandbox of a cold session, before its first turn. */
async function measureMemory(bench: Bench, project: DeployedProject): Promise<Finding> {
  const { world, product, stateDir } = bench;
  const root = (key: string) => join(stateDir, "sandboxes", key);
  const spareKey = await project.spare();
  await project.hideSpare();
  const { session } = await product.create();
  const { sandboxKey } = await product.preview(session.id);
  await sleep(1_000);
  const [spare, own] = [await readMemory(root(spareKey)), await readMemory(root(sandboxKey))];
  const client = createHttpClient(world.baseUrl, product.headers);
  await client.delete(`/api/projects/${world.projectId}/chat-sessions/${session.id}`);
  client.close();
  const what = `${Math.round(spare / 1_024)} MB, and ${Math.round(own / 1_024)} MB of the session's`;
  return toCountedFinding("memory of a spare, over a session's sandbox", spare / own, "times", memoryBar, what);
}
