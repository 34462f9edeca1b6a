// The groups of measurements, in the order in which they run. `npm run bench -- --only NAME[,NAME]`
// runs those that are named.

import { claimFreePort } from "../practice/free-port.ts";
import { startWorld } from "../practice/local-service.ts";
import type { Stage } from "./environment.ts";
import { formatClientFigures } from "./lib/client-figures.ts";
import type { CountedRow } from "./lib/counted-row.ts";
import { formatDistances } from "./lib/distance-figures.ts";
import { formatGrowth } from "./lib/growth-figures.ts";
import { shortTurn } from "./lib/practice-turn.ts";
import { getJobId } from "./lib/product.ts";
import type { Finding } from "./lib/result.ts";
import { measureActivity } from "./measures/activity.ts";
import { measureCallMemory } from "./measures/call-memory.ts";
import { measureClients } from "./measures/clients.ts";
import { measureConsole } from "./measures/console.ts";
import { measureConversations } from "./measures/conversations.ts";
import { type CostRow, measureCost, measureIdleTails } from "./measures/cost.ts";
import { measureCounts } from "./measures/counts.ts";
import { measureCronBurst, simulateCrons } from "./measures/cron-burst.ts";
import { measureCronRuns } from "./measures/cron-runs.ts";
import { measureCronSchedules } from "./measures/cron-schedules.ts";
import { measureCrons } from "./measures/crons.ts";
import { measureDeletion } from "./measures/deletion.ts";
import { measureDeployChat } from "./measures/deploy-chat.ts";
import { measureBundle, measureRestarts } from "./measures/deployment.ts";
import { measureDeploys } from "./measures/deploys.ts";
import { measureDistance } from "./measures/distance.ts";
import { measureFiles } from "./measures/files.ts";
import { measureGrowth } from "./measures/growth.ts";
import { measureLargeRepository } from "./measures/large-repository.ts";
import { measureLargeTrees } from "./measures/large-trees.ts";
import { measureMarketplaceMemory } from "./measures/marketplaces.ts";
import { measureNotifications } from "./measures/notifications.ts";
import { measurePreview } from "./measures/preview.ts";
import { measureProjects } from "./measures/projects.ts";
import { measurePolls, measureQueuedSends, measureStartingSends } from "./measures/requests.ts";
import { measureSavedWork } from "./measures/saved-work.ts";
import { measureSubscriptions } from "./measures/subscriptions.ts";
import { measureGiven } from "./measures/turn-assets.ts";
import { measureOpenedPullRequests, measureWarmTurns } from "./measures/turns.ts";
import { measureWebhooks } from "./measures/webhooks.ts";
import { measureWorkspaceStream } from "./measures/workspace-stream.ts";

export interface Measured {
  findings: Finding[];
  /** Rows for the table of calls. */
  rows?: CountedRow[];
  /** Rows for the table of costs. */
  costs?: CostRow[];
  /** Tables of the docs, and the figures that are recorded for them. */
  tables?: string[];
}

type Group = (stage: Stage) => Promise<Finding[] | Measured>;

const groups: Record<string, Group> = {
  bundle: async () => [await measureBundle()],
  "first-turns": async (stage) => (await stage.firstTurns()).findings,
  "pull-requests": async (stage) => measureOpenedPullRequests((await stage.firstTurns()).sessions.slice(1)),
  "warm-turns": async (stage) =>
    measureWarmTurns(await stage.demoSession(), await stage.opencode(), stage.sizes.warmTurns),
  polls: async (stage) => {
    const session = await stage.demoSession();
    const over = getJobId(await session.send(shortTurn));
    await session.completed(over);
    await session.settled();
    return measurePolls(session, over, await stage.bare(), stage.sizes.polls);
  },
  previews: async (stage) => measurePreview(await stage.service(), await stage.demoSession(), stage.sizes.previews),
  conversations: async (stage) => {
    const rounds = { short: stage.sizes.shortReads, long: stage.sizes.longReads };
    return measureConversations(await stage.conversations(), await stage.bare(), rounds);
  },
  sends: async (stage) => {
    const [sessions, bare] = [await stage.conversations(), await stage.bare()];
    await sessions.long.completed(getJobId(await sessions.long.send(shortTurn)));
    await sessions.long.settled();
    return [
      ...(await measureStartingSends(sessions, bare, stage.sizes.startingSends)),
      ...(await measureQueuedSends(sessions, bare, stage.sizes.queuedSends)),
    ];
  },
  files: async (stage) => {
    const service = await stage.service();
    // A new session, because the demo session must stay small.
    const { session } = await service.product.create();
    return measureFiles(service, session, stage.sizes.files);
  },
  projects: async (stage) => measureProjects(await stage.service(), await stage.bare(), stage.sizes.projects),
  removal: async (stage) => measureDeletion(await stage.service(), await stage.demoSession(), stage.sizes.removal),
  "saved-work": async (stage) => {
    const session = await stage.demoSession();
    await session.forgetUpNext();
    await session.ended();
    return measureSavedWork(await stage.service(), session, stage.sizes.savedWork);
  },
  "large-repository": async (stage) => measureLargeRepository(await stage.service(), stage.sizes.largeRepository),
  "large-trees": async (stage) => {
    await stage.close();
    const stateDir = await stage.newStateDir();
    // A file system is slower to create files after it has deleted many.
    const stoppedFolder = `${stateDir}-stopped`;
    const port = await claimFreePort();
    const world = await startWorld({
      ...{ port, stateDir, stoppedFolder },
      keepsDisks: true,
      inspectsObjects: true,
      rateLimits: "off",
    });
    return measureLargeTrees({ world, stateDir }, stage.sizes.largeTrees).finally(() => world.close());
  },
  subscriptions: async (stage) =>
    measureSubscriptions((await stage.service()).world, await stage.bare(), stage.sizes.subscriptions),
  deploys: async (stage) => measureDeploys(await stage.service(), stage.sizes.deploys),
  "deploy-chat": async (stage) => measureDeployChat(await stage.service(), stage.sizes.deployChat),
  given: async (stage) => measureGiven((await stage.service()).world, await stage.bare(), stage.sizes.given),
  activity: async (stage) => measureActivity((await stage.service()).world, await stage.bare(), stage.sizes.activity),
  "workspace-stream": async (stage) =>
    measureWorkspaceStream((await stage.service()).world, stage.sizes.workspaceStream),
  notices: async (stage) => measureNotifications(await stage.service(), stage.sizes.notices),
  webhooks: async (stage) => {
    await stage.close();
    const [port, stateDir] = [await claimFreePort(), await stage.newStateDir()];
    const world = await startWorld({ port, stateDir, rateLimits: "off", webhooksToLoopback: true });
    return measureWebhooks(world, stage.sizes.webhooks).finally(() => world.close());
  },
  console: async (stage) => measureConsole(await stage.service(), stage.sizes.console),
  // The Worker has one more bar of the clients: MCP and OAuth are in it.
  clients: async (stage) => {
    const findings = await measureClients(await stage.service(), stage.sizes.clients);
    const figures = findings.filter(({ ratio }) => ratio === null);
    return { findings: [...findings, await measureBundle()], tables: [formatClientFigures(figures)] };
  },
  "cron-schedules": async () => measureCronSchedules(),
  crons: async (stage) => measureCrons((await stage.service()).world, await stage.bare(), stage.sizes.crons),
  "cron-runs": async (stage) => measureCronRuns(await stage.service(), await stage.demoSession(), stage.sizes.cronRuns),
  "cron-burst": async (stage) => {
    await stage.close();
    const stateDir = await stage.newStateDir();
    const options = {
      port: await claimFreePort(),
      stateDir,
      entry: "bench/lib/stubbed-worker.ts",
      rateLimits: "off",
    } as const;
    const world = await startWorld(options);
    return measureCronBurst(world, stateDir, stage.sizes.cronBurst).finally(() => world.close());
  },
  "cron-simulation": async (stage) => {
    await stage.close();
    const world = await stage.startWorldFrom("bench/lib/stubbed-worker.ts", await stage.newStateDir());
    return simulateCrons(world, stage.sizes.cronSimulation).finally(() => world.close());
  },
  restarts: async (stage) => {
    await stage.service();
    await stage.close();
    return measureRestarts(stage.stateDir, stage.sizes.restarts);
  },
  "call-memory": async (stage) => {
    await stage.close();
    return measureCallMemory(stage.stateDir, stage.sizes.callMemory);
  },
  marketplaces: async (stage) => {
    await stage.close();
    // Its marketplace has other plugins than those that later groups switch on.
    return measureMarketplaceMemory(await stage.newStateDir());
  },
  "idle-tail": async () => measureIdleTails(),
  cost: async (stage) => {
    await stage.close();
    const stateDir = await stage.newStateDir();
    const world = await stage.startWorldFrom("bench/lib/counted-worker.ts", stateDir);
    return measureCost(world, stateDir).finally(() => world.close());
  },
  distance: async (stage) => {
    await stage.close();
    const world = await stage.startWorldFrom("bench/lib/counted-worker.ts", await stage.newStateDir());
    const { findings, distances } = await measureDistance(world, stage.sizes.distance).finally(() => world.close());
    return { findings, tables: [formatDistances(distances), JSON.stringify(distances)] };
  },
  growth: async (stage) => {
    await stage.close();
    const stateDir = await stage.newStateDir();
    const world = await stage.startWorldFrom("bench/lib/counted-worker.ts", stateDir);
    const growth = await measureGrowth(world, stateDir, stage.sizes.growth).finally(() => world.close());
    return { findings: [], tables: [formatGrowth(growth), JSON.stringify(growth)] };
  },
  counts: async (stage) => {
    await stage.close();
    const world = await stage.startWorldFrom("bench/lib/counted-worker.ts");
    return measureCounts(world, stage.sizes.workspaceStream, stage.sizes.notices).finally(() => world.close());
  },
};

/** Groups that take too long for every run. They run only if named. */
const onlyByName = ["cron-simulation", "growth"];

/**
 * Resolves the names of groups, separated by commas; without names, the groups of every run. For an
 * unknown name, throws with the list of known ones.
 */
export function parseGroups(names: string | undefined): [string, Group][] {
  const all = Object.entries(groups);
  if (names === undefined) return all.filter(([name]) => !onlyByName.includes(name));
  const wanted = names.split(",");
  const unknown = wanted.filter((name) => !Object.hasOwn(groups, name));
  if (unknown.length > 0)
    throw new RangeError(
      `There is no group "${unknown.join('", "')}". The groups are: ${Object.keys(groups).join(", ")}.`,
    );
  return all.filter(([name]) => wanted.includes(name));
}
