// The numbers of samples: enough for stable medians in a few minutes, or fewer with `--quick`.
import type { ActivitySize } from "../measures/activity.ts";
import type { CallMemorySize } from "../measures/call-memory.ts";
import type { ClientsSize } from "../measures/clients.ts";
import type { ConsoleSize } from "../measures/console.ts";
import type { BurstSize } from "../measures/cron-burst.ts";
import type { CronRunsSize } from "../measures/cron-runs.ts";
import type { CronsSize } from "../measures/crons.ts";
import type { DeletionSize } from "../measures/deletion.ts";
import type { DeployChatSize } from "../measures/deploy-chat.ts";
import type { DeploysSize } from "../measures/deploys.ts";
import type { FilesSize } from "../measures/files.ts";
import type { GrowthSize } from "../measures/growth.ts";
import type { LargeRepositorySize } from "../measures/large-repository.ts";
import type { LargeTreesSize } from "../measures/large-trees.ts";
import type { NotificationsSize } from "../measures/notifications.ts";
import type { SavedWorkSize } from "../measures/saved-work.ts";
import type { SubscriptionsSize } from "../measures/subscriptions.ts";
import type { GivenSize } from "../measures/turn-assets.ts";
import type { WebhooksSize } from "../measures/webhooks.ts";
import type { StreamSize } from "../measures/workspace-stream.ts";
import type { Rounds } from "./samples.ts";

export interface Sizes {
  firstTurns: number;
  warmTurns: number;
  startingSends: number;
  queuedSends: number;
  polls: Rounds;
  shortReads: Rounds;
  longReads: Rounds;
  previews: Rounds;
  files: FilesSize;
  savedWork: SavedWorkSize;
  largeRepository: LargeRepositorySize;
  largeTrees: LargeTreesSize;
  activity: ActivitySize;
  workspaceStream: StreamSize;
  projects: Rounds;
  removal: DeletionSize;
  subscriptions: SubscriptionsSize;
  given: GivenSize;
  crons: CronsSize;
  callMemory: CallMemorySize;
  deploys: DeploysSize;
  deployChat: DeployChatSize;
  cronRuns: CronRunsSize;
  cronBurst: BurstSize;
  /** Numbers of crons, one after the other. */
  cronSimulation: number[];
  notices: NotificationsSize;
  webhooks: WebhooksSize;
  console: ConsoleSize;
  clients: ClientsSize;
  distance: number;
  growth: GrowthSize;
  restarts: number;
}

export const fullSizes: Sizes = {
  firstTurns: 5,
  warmTurns: 15,
  startingSends: 40,
  queuedSends: 240,
  polls: { warmUp: 100, count: 500 },
  shortReads: { warmUp: 40, count: 200 },
  longReads: { warmUp: 2, count: 15 },
  previews: { warmUp: 100, count: 500 },
  files: { listed: 50_000, committed: 1_000, samples: 7 },
  savedWork: { files: 50_000, megabytes: 1_000, demoWakes: 5 },
  largeRepository: { files: 2_800, commits: 5_000, starts: 3, others: [] },
  largeTrees: { files: 27_000, megabytes: 340, rounds: 5 },
  activity: { warmUp: 20, count: 200, few: 1_000, many: 1_000_000 },
  workspaceStream: { listeners: 1_000, changes: 20 },
  projects: { warmUp: 10, count: 60 },
  removal: { sessions: 1_000, sends: 20 },
  subscriptions: { turns: 15, reads: { warmUp: 50, count: 200 } },
  given: { turns: 15, newTurns: 7, lists: { warmUp: 10, count: 100 } },
  crons: { warmUp: 10, count: 100, few: 100, many: 100_000 },
  callMemory: { calls: 20, megabytes: 2 },
  deploys: { starts: 7, slowStarts: 3, deploys: 4 },
  deployChat: { queued: 120, reads: { warmUp: 40, count: 200 }, longReads: { warmUp: 2, count: 15 } },
  cronRuns: { runs: 15 },
  cronBurst: { crons: 1_000, sends: 20 },
  cronSimulation: [1_000, 4_000, 16_000, 100_000],
  notices: { devices: 100, turns: 15 },
  webhooks: { timed: 200, burst: 1_000, beside: 200 },
  console: { loads: 9, turns: 60, keys: 200, idleMs: 60_000 },
  clients: { runs: 15, words: 500, sleepers: 5, connections: 50 },
  distance: 15,
  growth: { sessions: [10, 1_000, 100_000], listeners: [1, 1_000], megabytes: [1, 1_000], samples: 15 },
  restarts: 3,
};

export const quickSizes: Sizes = {
  firstTurns: 2,
  warmTurns: 6,
  startingSends: 10,
  queuedSends: 60,
  polls: { warmUp: 50, count: 150 },
  shortReads: { warmUp: 20, count: 50 },
  longReads: { warmUp: 1, count: 5 },
  previews: { warmUp: 50, count: 200 },
  files: { listed: 50_000, committed: 1_000, samples: 3 },
  savedWork: { files: 2_000, megabytes: 40, demoWakes: 2 },
  largeRepository: { files: 2_800, commits: 5_000, starts: 3, others: [] },
  largeTrees: { files: 27_000, megabytes: 340, rounds: 3 },
  activity: { warmUp: 10, count: 50, few: 1_000, many: 100_000 },
  workspaceStream: { listeners: 1_000, changes: 5 },
  projects: { warmUp: 5, count: 25 },
  removal: { sessions: 200, sends: 10 },
  subscriptions: { turns: 6, reads: { warmUp: 20, count: 60 } },
  given: { turns: 6, newTurns: 3, lists: { warmUp: 5, count: 40 } },
  crons: { warmUp: 5, count: 40, few: 100, many: 100_000 },
  callMemory: { calls: 20, megabytes: 2 },
  deploys: { starts: 3, slowStarts: 1, deploys: 2 },
  deployChat: { queued: 45, reads: { warmUp: 20, count: 60 }, longReads: { warmUp: 1, count: 7 } },
  cronRuns: { runs: 6 },
  cronBurst: { crons: 200, sends: 10 },
  cronSimulation: [500, 1_500, 4_000],
  notices: { devices: 100, turns: 6 },
  webhooks: { timed: 60, burst: 50, beside: 60 },
  console: { loads: 3, turns: 60, keys: 100, idleMs: 20_000 },
  clients: { runs: 5, words: 100, sleepers: 1, connections: 10 },
  distance: 5,
  growth: { sessions: [10, 1_000], listeners: [1, 100], megabytes: [1, 10], samples: 3 },
  restarts: 1,
};
