// `npm run bench`: measures the service and its peers in one run on one machine. Exits with 1 if a bar does not hold. `--quick` takes fewer
// samples, `--json FILE` writes the findings.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../dev/free-port.ts";
import { startWorld } from "../dev/world.ts";
import { startBare } from "./bare.ts";
import type { Finding } from "./finding.ts";
import { measureActivity } from "./measure-activity.ts";
import { longPast, measureConversations, shortPast } from "./measure-conversations.ts";
import { measureCounts } from "./measure-counts.ts";
import { measureBundle, measureRestarts } from "./measure-deployment.ts";
import { measureFiles } from "./measure-files.ts";
import { measureLargeRepository } from "./measure-large-repository.ts";
import { measurePreview } from "./measure-preview.ts";
import { measureProjects } from "./measure-projects.ts";
import { measureRemoval } from "./measure-removal.ts";
import { measurePolls, measureQueuedSends, measureStartingSends } from "./measure-requests.ts";
import { measureSavedWork } from "./measure-saved-work.ts";
import { measureSubscriptions } from "./measure-subscriptions.ts";
import { measureFirstTurns, measureOpenedPullRequests, measureWarmTurns } from "./measure-turns.ts";
import { measureWorkspaceStream } from "./measure-workspace-stream.ts";
import { findOpencode, startOpencode } from "./opencode.ts";
import { shortTurn } from "./practice-turn.ts";
import { jobIdOf, openProduct } from "./product.ts";
import { countsTable, findingsJson, findingsTable } from "./report.ts";
import { fullSizes, quickSizes, type Sizes } from "./sizes.ts";

const { values: options } = parseArgs({ options: { json: { type: "string" }, quick: { type: "boolean" } } });
const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
const stateDir = join(folder, "state");
const findings: Finding[] = [];

try {
  console.log(`${cpus().length} processors, load average ${loadavg()[0]?.toFixed(1)} before the run.`);
  const sizes = options.quick ? quickSizes : fullSizes;
  step("the deploy build");
  findings.push(measureBundle());
  await measureService(sizes);
  step("restarts");
  findings.push(...(await measureRestarts(stateDir, sizes.restarts)));
  step("counts");
  const world = await startWorld({
    port: await freePort(),
    stateDir,
    entry: "bench/counted-worker.ts",
    inspectsObjects: true,
    rateLimits: "off",
  });
  const counts = await measureCounts(world, sizes.workspaceStream).finally(() => world.close());
  findings.push(...counts.findings);
  console.log(`\n${findingsTable(findings)}\n\n${countsTable(counts.rows)}`);
  if (options.json !== undefined) await writeFile(options.json, findingsJson(findings));
} finally {
  await rm(folder, { recursive: true, force: true });
}

const broken = findings.filter(({ holds }) => holds === false);
console.log(
  broken.length === 0 ? "\nEvery bar that was measured holds." : `\nBars that do not hold: ${broken.length}.`,
);
process.exit(broken.length === 0 ? 0 : 1);

async function measureService(sizes: Sizes): Promise<void> {
  const closers: (() => unknown)[] = [];
  try {
    step("the world, the bare routes and opencode, where it is here");
    const world = await startWorld({ port: await freePort(), stateDir, inspectsObjects: true, rateLimits: "off" });
    closers.push(world.close);
    const product = openProduct(world);
    closers.push(product.close);
    const bare = await startBare(join(folder, "bare"), product.headers);
    closers.push(bare.close);
    const binary = findOpencode();
    const opencode = binary === null ? null : await startOpencode(binary, join(folder, "opencode"), world.providerUrl);
    if (opencode) closers.push(opencode.close);

    step("first turns");
    const first = await measureFirstTurns(product, sizes.firstTurns);
    findings.push(...first.findings);
    const [short, ...others] = first.sessions;
    if (!short) throw new Error("no session came of the first turns");

    step("pull requests");
    findings.push(...(await measureOpenedPullRequests(others)));

    step("warm turns");
    findings.push(...(await measureWarmTurns(short, opencode, sizes.warmTurns)));

    step("polls");
    const over = jobIdOf(await short.send(shortTurn));
    await short.completed(over);
    await short.settled();
    findings.push(...(await measurePolls(short, over, bare, sizes.polls)));

    step("previews");
    findings.push(...(await measurePreview({ world, stateDir, product }, short, sizes.previews)));

    step("conversations");
    const { session: few } = await product.create();
    await few.fill(shortPast);
    const { session: long } = await product.create();
    await long.fill(longPast);
    const rounds = { short: sizes.shortReads, long: sizes.longReads };
    findings.push(...(await measureConversations({ short: few, long }, bare, rounds)));

    step("sends");
    await long.completed(jobIdOf(await long.send(shortTurn)));
    await long.settled();
    findings.push(...(await measureStartingSends({ short, long }, bare, sizes.startingSends)));
    findings.push(...(await measureQueuedSends({ short, long }, bare, sizes.queuedSends)));

    step("files and commits");
    // A new session, because the demo session has to stay small.
    const { session: busy } = await product.create();
    findings.push(...(await measureFiles({ world, stateDir, product }, busy, sizes.files)));

    step("projects");
    const bench = { world, stateDir, product };
    findings.push(...(await measureProjects(bench, bare, sizes.projects)));
    findings.push(...(await measureRemoval(bench, short, sizes.removal)));

    step("pauses and wakes");
    await short.forgetUpNext();
    await short.ended();
    findings.push(...(await measureSavedWork({ world, stateDir, product }, short, sizes.savedWork)));

    step("a large repository");
    findings.push(...(await measureLargeRepository({ world, stateDir, product }, sizes.largeRepository)));

    step("subscriptions");
    findings.push(...(await measureSubscriptions(world, bare, sizes.subscriptions)));

    step("activity");
    findings.push(...(await measureActivity(world, bare, sizes.activity)));
    findings.push(...(await measureWorkspaceStream(world, sizes.workspaceStream)));
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

function step(what: string): void {
  console.log(`measuring: ${what} …`);
}
