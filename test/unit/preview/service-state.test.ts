import { describe, expect, it, test } from "vitest";
import type { SandboxStatus, ServiceStatus } from "../../../src/preview/rules/preview.ts";
import {
  findCrash,
  findServiceAt,
  findServiceReports,
  getServiceState,
  type ServiceRun,
  type ServiceState,
} from "../../../src/preview/rules/service-state.ts";

const run = (changes: Partial<ServiceRun> = {}): ServiceRun => ({
  ageMs: 1_000,
  isDone: false,
  restarts: 0,
  lastExit: null,
  logEnd: "",
  ...changes,
});
const exited = { code: 127, how: "exited 127" };
const down = run({ ageMs: null, restarts: 2, lastExit: exited });

describe("the state of a service", () => {
  it.each<[string, ServiceState, ServiceStatus["answers"], ServiceRun | null]>([
    ["that comes behind others", "waiting", false, null],
    ["that has just begun", "starting", false, run()],
    ["that takes long", "not_answering", false, run({ ageMs: 20_000 })],
    ["that answers", "running", true, run({ ageMs: 20_000 })],
    ["that answers again", "running", true, run({ restarts: 2, lastExit: exited })],
    [
      "whose server went to the background",
      "running",
      true,
      run({ ageMs: null, lastExit: { code: 0, how: "exited 0" } }),
    ],
    ["without an endpoint", "running", null, run({ restarts: 1, lastExit: exited })],
    ["without an endpoint that ended well", "done", null, run({ ageMs: null, isDone: true })],
    ["that is down", "crashed", false, down],
    ["without an endpoint that is down", "crashed", null, down],
    ["that crashed, and is being started once more", "crashed", false, run({ restarts: 2, lastExit: exited })],
  ])("%s is %s", (_, state, answers, of) => {
    expect(getServiceState({ answers, run: of })).toBe(state);
  });
});

describe("the reason of a crash", () => {
  const crash = (logEnd: string) => findCrash({ answers: false, run: { ...down, logEnd } });

  it("is the exit status and the last lines of the log, without terminal colours", () => {
    const log = `${"line\n".repeat(40)}\u001b[31mno such program\u001b[0m\r\n\u0007end\n`;
    expect(crash(log)).toEqual({ how: "exited 127", logEnd: `${"line\n".repeat(10)}no such program\nend` });
  });

  it("is limited in length", () => {
    expect(crash("x".repeat(1_000_000))?.logEnd).toHaveLength(2_000);
  });

  it("is null for a service that has not crashed", () => {
    expect(findCrash({ answers: true, run: run({ restarts: 2, lastExit: exited }) })).toBeNull();
    expect(findCrash({ answers: false, run: null })).toBeNull();
  });
});

const layout = [
  { name: "web", endpoints: [{ port: 3000, public: true }] },
  { name: "worker", endpoints: [] },
];
const status = (state: SandboxStatus["state"], services: ServiceStatus[] | null): SandboxStatus => ({
  state,
  generation: 1,
  resumesOnVisit: true,
  isResetting: false,
  services,
  layout: null,
});
const web: ServiceStatus = { name: "web", answers: false, answeringPorts: [], run: { ...down, logEnd: "no\n" } };

test("a report has exactly the services of the settings", () => {
  const strange = { name: "strange", answers: true, answeringPorts: [], run: run() };
  expect(findServiceReports(status("running", [web, strange]), layout)).toEqual([
    { name: "web", state: "crashed", ageMs: null, lastExit: exited, restarts: 2, httpResult: "not_healthy" },
    { name: "worker", state: "waiting", ageMs: null, lastExit: null, restarts: 0, httpResult: null },
  ]);
  expect(findServiceReports(status("paused", null), layout)?.map(({ state }) => state)).toEqual(["stopped", "stopped"]);
  expect(findServiceReports(status("running", null), layout)).toBeNull();
});

test("a port has a service if the sandbox knows it", () => {
  expect(findServiceAt(3000, { services: [web] }, layout)).toEqual({
    name: "web",
    crash: { how: "exited 127", logEnd: "no" },
  });
  expect(findServiceAt(3000, { services: [{ ...web, run: null }] }, layout)).toEqual({ name: "web", crash: null });
  expect(findServiceAt(4000, { services: [web] }, layout)).toBeNull();
  expect(findServiceAt(3000, { services: null }, layout)).toBeNull();
});
