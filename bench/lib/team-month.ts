// What a team of ten pays in a month, based on the standard turn. Each number here is an
// assumption, and `docs/cost.md` lists it.
import { addUsages, createUsage, getTurnUsage, multiplyUsage, type Running } from "./cost.ts";
import type { Counts } from "./counts.ts";
import { type Instance, instances, type Usage } from "./price-list.ts";
import { awayTailSeconds, cpuMsPerRequest, idleVcpu, watchedTailSeconds } from "./standard-turn.ts";

export const people = 10;
const workDays = 21;
/** Per person and day. */
const turnsPerDay = 20;
/**
 * Out of a hundred turns, those after which the sandbox idles until it pauses. After the others,
 * the next message arrives before that.
 */
const pausedOf100 = 50;
/** Seconds from one message to the next if the sandbox has not paused: it idles this long. */
const betweenSeconds = 240;
/**
 * Per person and day: minutes in which a preview is viewed outside of turns, and the requests of
 * its pages.
 */
const previewMinutes = 20;
const previewRequests = 400;
/** For the whole team. */
const crons = 10;
const cronRunsPerDay = 4;
const cronRunSeconds = 120;
/** What is stored at the end of the month. */
const keptR2Gb = 60;
const keptObjectGb = 2;
const keptD1Gb = 0.5;

/** The instance type in `wrangler.toml`. */
export const instanceName = "standard-2";

function instanceNamed(name: string): Instance {
  const found = instances[name];
  if (!found) throw new RangeError(`There is no instance "${name}".`);
  return found;
}

const instance = instanceNamed(instanceName);
/** The container's object waits for nothing while its container runs, so it sleeps. */
const keepsContainerObjectAwake = false;

/** A turn that somebody watched to its end. */
export const standardRunning: Running = { tailSeconds: watchedTailSeconds, instance, keepsContainerObjectAwake };
/** The same if nobody watched. */
export const awayRunning: Running = { ...standardRunning, tailSeconds: awayTailSeconds };

/** The parts of a month, by what causes them. */
export function getMonthParts(counts: Counts): Record<"turns" | "idle tails" | "previews" | "crons" | "kept", Usage> {
  const turns = people * workDays * turnsPerDay;
  const withoutTail: Running = { ...standardRunning, tailSeconds: 0 };
  const tailSeconds = (watchedTailSeconds * pausedOf100 + betweenSeconds * (100 - pausedOf100)) / 100;
  const looks = people * workDays;
  const runs = crons * cronRunsPerDay * 30;
  return {
    turns: multiplyUsage(getTurnUsage(counts, withoutTail), turns),
    "idle tails": multiplyUsage(getRunningUsage(tailSeconds), turns),
    previews: {
      ...multiplyUsage(getRunningUsage(previewMinutes * 60), looks),
      workerRequests: looks * previewRequests,
      workerCpuMs: looks * previewRequests * cpuMsPerRequest,
      // Each goes through the sandbox's object and the container's object.
      objectRequests: looks * previewRequests * 2,
    },
    crons: multiplyUsage(getRunUsage(counts), runs),
    kept: { ...createUsage(), r2GbMonths: keptR2Gb, objectGbMonths: keptObjectGb, d1GbMonths: keptD1Gb },
  };
}

/** The whole month. */
export function getMonthUsage(counts: Counts): Usage {
  return addUsages(Object.values(getMonthParts(counts)));
}

/** A sandbox that runs this long, and little else. */
export function getRunningUsage(seconds: number): Usage {
  return {
    ...createUsage(),
    objectGbSeconds: keepsContainerObjectAwake ? seconds * 0.128 : 0,
    containerGibSeconds: seconds * instance.memoryGib,
    containerVcpuSeconds: seconds * idleVcpu,
    containerDiskGbSeconds: seconds * instance.diskGb,
  };
}

/**
 * A run of a cron, with the tail of its sandbox. It counts at most as much as a standard turn: it
 * streams to nobody and saves nothing.
 */
export function getRunUsage(counts: Counts): Usage {
  const { workerRequests, workerCpuMs, objectRequests, objectRowsRead, objectRowsWritten, d1RowsRead, d1RowsWritten } =
    getTurnUsage(counts, standardRunning);
  return {
    ...getRunningUsage(cronRunSeconds + awayTailSeconds),
    ...{ workerRequests, workerCpuMs, objectRequests, objectRowsRead, objectRowsWritten, d1RowsRead, d1RowsWritten },
  };
}
