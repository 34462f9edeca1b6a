// Plans of services that come at the same time, from a route and from a tool of the agent: the last
// is in force, and nothing runs twice.
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPorts } from "../../../sandbox-program/services/port-map.ts";
import { createServices, type Services } from "../../../sandbox-program/services/services.ts";
import type { ServicePlan, ServicesPlan } from "../../../src/sandbox-protocol/protocol.ts";
import { until } from "../../support/until.ts";
import { type BranchPair, startBranchPair } from "../support/branch-pair.ts";
import { isAlive } from "../support/processes.ts";

let pair: BranchPair;
let services: Services;
let reported: unknown[];
beforeEach(async () => {
  reported = [];
  pair = await startBranchPair({ "a.txt": "a\n" });
  services = createServices(
    pair.folders,
    createPorts(true, () => 0),
    (error) => reported.push(error),
  );
});
afterEach(async () => {
  await services?.stopAll();
  await pair?.end();
});

const worker = (name = "worker"): ServicePlan => ({
  name,
  command: `echo $$ >> ${name}-ids; exec sleep 600`,
  endpoints: [],
});
const plan = (changes: Partial<ServicesPlan> = {}): ServicesPlan => ({
  services: [worker()],
  env: {},
  restart: true,
  ...changes,
});
const ids = (name = "worker") => (pair.read(`${name}-ids`) ?? "").split("\n").filter(Boolean).map(Number);

test("the services of the last plan run once, and end with it", async () => {
  await services.apply(plan());
  await until("the first process", async () => ids()[0]);
  await Promise.all([services.apply(plan()), services.apply(plan())]);
  const started = await until("the next process", async () => ids().length > 1 && ids());
  expect(started.filter(isAlive)).toEqual(started.slice(-1));
  await services.stopAll();
  expect(ids().filter(isAlive)).toEqual([]);
});

test("the last plan is applied, and an earlier restart is not lost", async () => {
  await services.apply(plan());
  const before = await until("the first process", async () => ids()[0]);
  await Promise.all([
    services.apply(plan({ services: [worker(), worker("other")] })),
    services.apply(plan({ restart: false })),
  ]);
  const after = await until("the next process", async () => ids()[1]);
  expect([before, after].map((id) => isAlive(id ?? 0))).toEqual([false, true]);
  expect((await services.status()).map(({ name }) => name)).toEqual(["worker"]);
  expect(ids("other")).toEqual([]);
});

test("a plan whose services cannot start is reported, and the next one starts", async () => {
  const ports = createPorts(true, () => 0);
  const real = (port: number) => {
    if (port === 3999) throw new Error("this port cannot be had");
    return ports.real(port);
  };
  services = createServices(pair.folders, { ...ports, real }, (error) => reported.push(error));
  await services.apply(plan({ services: [{ ...worker(), endpoints: [{ port: 3999 }] }] }));
  await until("a report", async () => reported.length > 0);
  await services.apply(plan());
  expect(await until("a process", async () => ids()[0])).toBeGreaterThan(0);
});
