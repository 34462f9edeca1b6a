// Computes costs from counts and the price list. Pure.
import type { Counts } from "./counts.ts";
import { type Instance, type Price, planDollars, prices, type Usage } from "./price-list.ts";
import {
  cpuMsPerRequest,
  idleVcpu,
  modelSeconds,
  saveSeconds,
  startSeconds,
  turnSeconds,
  workingVcpu,
} from "./standard-turn.ts";

export type UsageName = keyof Usage;

export const usageNames = Object.keys(prices) as UsageName[];

/** The platform counts twenty WebSocket messages as one request of the object. */
const messagesPerRequest = 20;
/** GB that are billed for an awake object, whatever it uses. */
const objectGb = 0.128;

/** How a turn is run. */
export interface Running {
  /** From the end of the turn to the pause, in seconds. */
  tailSeconds: number;
  instance: Instance;
  /** True where the object of the container is awake as long as the container runs. */
  keepsContainerObjectAwake: boolean;
}

/** Zero of every kind of usage. */
export function createUsage(): Usage {
  return Object.fromEntries(usageNames.map((name) => [name, 0])) as unknown as Usage;
}

/**
 * What the platform bills for a standard turn, from its counts and from the duration of the turn
 * and its tail.
 */
export function getTurnUsage(counts: Counts, { tailSeconds, instance, keepsContainerObjectAwake }: Running): Usage {
  const containerSeconds = startSeconds + turnSeconds + tailSeconds + saveSeconds;
  const busySeconds = startSeconds + turnSeconds + saveSeconds;
  const objectSeconds = counts.objectBusyMs / 1_000 + modelSeconds + (keepsContainerObjectAwake ? containerSeconds : 0);
  return {
    ...createUsage(),
    workerRequests: counts.workerRequests,
    workerCpuMs: counts.workerRequests * cpuMsPerRequest,
    objectRequests: counts.objectCalls + counts.alarms + counts.messages / messagesPerRequest,
    objectGbSeconds: objectSeconds * objectGb,
    objectRowsRead: counts.objectRowsRead,
    objectRowsWritten: counts.objectRowsWritten,
    d1RowsRead: counts.rowsRead,
    d1RowsWritten: counts.rowsWritten,
    r2ClassA: counts.storeWrites,
    r2ClassB: counts.storeReads,
    containerGibSeconds: containerSeconds * instance.memoryGib,
    containerVcpuSeconds: busySeconds * workingVcpu + tailSeconds * idleVcpu,
    containerDiskGbSeconds: containerSeconds * instance.diskGb,
  };
}

/** Multiplies each kind of usage. */
export function multiplyUsage(usage: Usage, count: number): Usage {
  return mapped((name) => usage[name] * count);
}

export function addUsages(usages: Usage[]): Usage {
  return mapped((name) => usages.reduce((total, usage) => total + usage[name], 0));
}

/** Dollars for each kind of usage, without what the plan includes. */
export function toDollars(usage: Usage): Usage {
  return mapped((name) => dollars(usage[name], prices[name]));
}

/**
 * Dollars for the usage of a month, without the price of the plan: the usage that it includes is
 * free.
 */
export function toMonthDollars(usage: Usage): Usage {
  return mapped((name) => dollars(Math.max(0, usage[name] - prices[name].included), prices[name]));
}

/** The sum of all kinds. */
export function getTotal(perKind: Usage): number {
  return usageNames.reduce((total, name) => total + perKind[name], 0);
}

/** The bill of a month: the plan, and the usage beyond it. */
export function getBill(usage: Usage): number {
  return planDollars + getTotal(toMonthDollars(usage));
}

function dollars(units: number, { dollars: price, per }: Price): number {
  return (units / per) * price;
}

function mapped(value: (name: UsageName) => number): Usage {
  return Object.fromEntries(usageNames.map((name) => [name, value(name)])) as unknown as Usage;
}
