// What a team of ten pays in a month, based on the standard turn. Each number here is an
// assumption, and `docs/cost.md` lists it.
import { addUsages, createUsage, getTurnUsage, multiplyUsage, type Running } from "./cost.ts";
import type { Counts } from "./counts.ts";
import { getAwayTailSeconds } from "./idle-simulation.ts";
import { type Instance, instances, type Usage } from "./price-list.ts";
import { cpuMsPerRequest, idleVcpu, recordedTailSeconds } from "./standard-turn.ts";

export const people = 10;
const workDays = 21;
/** Per person and day. */
const turnsPerDay = 20;
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

/** A turn of the simulated month: its tail ends with the next message, or with the pause. */
export const standardRunning: Running = { tailSeconds: recordedTailSeconds, instance, keepsContainerObjectAwake };
/** The same if the next turn is an hour away, and nobody watches. */
export const awayRunning: Running = { ...standardRunning, tailSeconds: getAwayTailSeconds() };

/** The parts of a month, by what causes them. */
export function getMonthParts(counts: Counts): Record<"turns" | "idle tails" | "previews" | "crons" | "kept", Usage> {
  const turns = people * workDays * turnsPerDay;
  const withoutTail: Running = { ...standardRunning, tailSeconds: 0 };
  const looks = people * workDays;
  const runs = crons * cronRunsPerDay * 30;
  return {
    turns: multiplyUsage(getTurnUsage(counts, withoutTail), turns),
    "idle tails": multiplyUsage(getRunningUsage(standardRunning.tailSeconds), turns),
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
    ...getRunningUsage(cronRunSeconds + awayRunning.tailSeconds),
    ...{ workerRequests, workerCpuMs, objectRequests, objectRowsRead, objectRowsWritten, d1RowsRead, d1RowsWritten },
  };
}
