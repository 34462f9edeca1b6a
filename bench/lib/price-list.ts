// Cloudflare's prices on the Workers Paid plan, in US dollars. To change a price, change it only
// here and run the tests: they check `docs/cost.md` against it. Stored logs are left out: their
// price changes on 2026-12-01, and the plan includes 20 million lines a month.

/** What is counted, each in the unit that it is billed in. */
export interface Usage {
  /**
   * Requests from outside to the Worker: from browsers, clients, the code host, and the sandbox
   * program.
   */
  workerRequests: number;
  workerCpuMs: number;
  /** Calls of objects, their alarms, and a twentieth of each WebSocket message to them. */
  objectRequests: number;
  /** GB-seconds: 128 MB for each second in which an object works, or cannot hibernate. */
  objectGbSeconds: number;
  /** Rows of objects' own storage. A changed index is a row, and so is a set alarm. */
  objectRowsRead: number;
  objectRowsWritten: number;
  objectGbMonths: number;
  d1RowsRead: number;
  d1RowsWritten: number;
  d1GbMonths: number;
  /** Operations of R2 that write or list. Deletes are free. */
  r2ClassA: number;
  /** Operations of R2 that read. */
  r2ClassB: number;
  r2GbMonths: number;
  containerGibSeconds: number;
  /** CPU in use, not the CPU of the instance. */
  containerVcpuSeconds: number;
  containerDiskGbSeconds: number;
  /** To North America and Europe. */
  containerEgressGb: number;
}

export interface Price {
  /** Dollars for `per` units. */
  dollars: number;
  per: number;
  /** The units per month that the plan includes. */
  included: number;
  page: string;
}

/**
 * The day on which the pages named here were read, in the newest available copies of Cloudflare's
 * documentation.
 */
export const pricesReadOn = "2026-11-23";

/** The price of the plan, per month. */
export const planDollars = 5;

const million = 1_000_000;
const workers = "https://developers.cloudflare.com/workers/platform/pricing/";
const objects = "https://developers.cloudflare.com/durable-objects/platform/pricing/";
const d1 = "https://developers.cloudflare.com/d1/platform/pricing/";
const r2 = "https://developers.cloudflare.com/r2/pricing/";
const containers = "https://developers.cloudflare.com/containers/platform/pricing/";

export const prices: Record<keyof Usage, Price> = {
  workerRequests: { dollars: 0.3, per: million, included: 10 * million, page: workers },
  workerCpuMs: { dollars: 0.02, per: million, included: 30 * million, page: workers },
  objectRequests: { dollars: 0.15, per: million, included: million, page: objects },
  objectGbSeconds: { dollars: 12.5, per: million, included: 400_000, page: objects },
  objectRowsRead: { dollars: 0.001, per: million, included: 25_000 * million, page: objects },
  objectRowsWritten: { dollars: 1, per: million, included: 50 * million, page: objects },
  objectGbMonths: { dollars: 0.2, per: 1, included: 5, page: objects },
  d1RowsRead: { dollars: 0.001, per: million, included: 25_000 * million, page: d1 },
  d1RowsWritten: { dollars: 1, per: million, included: 50 * million, page: d1 },
  d1GbMonths: { dollars: 0.75, per: 1, included: 5, page: d1 },
  r2ClassA: { dollars: 4.5, per: million, included: million, page: r2 },
  r2ClassB: { dollars: 0.36, per: million, included: 10 * million, page: r2 },
  r2GbMonths: { dollars: 0.015, per: 1, included: 10, page: r2 },
  containerGibSeconds: { dollars: 0.0000025, per: 1, included: 25 * 3_600, page: containers },
  containerVcpuSeconds: { dollars: 0.00002, per: 1, included: 375 * 60, page: containers },
  containerDiskGbSeconds: { dollars: 0.00000007, per: 1, included: 200 * 3_600, page: containers },
  containerEgressGb: { dollars: 0.025, per: 1, included: 1_000, page: containers },
};

/** An instance type of a container: what is billed while it runs. */
export interface Instance {
  vcpu: number;
  memoryGib: number;
  diskGb: number;
}

/** Read from https://developers.cloudflare.com/containers/platform/limits/, on the same day. */
export const instances: Record<string, Instance> = {
  lite: { vcpu: 1 / 16, memoryGib: 0.25, diskGb: 2 },
  basic: { vcpu: 1 / 4, memoryGib: 1, diskGb: 4 },
  "standard-1": { vcpu: 1 / 2, memoryGib: 4, diskGb: 8 },
  "standard-2": { vcpu: 1, memoryGib: 6, diskGb: 12 },
  "standard-3": { vcpu: 2, memoryGib: 8, diskGb: 16 },
  "standard-4": { vcpu: 4, memoryGib: 12, diskGb: 20 },
};
