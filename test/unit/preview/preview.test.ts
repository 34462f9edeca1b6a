import { describe, expect, it, test } from "vitest";
import {
  getHealth,
  getUnavailableReason,
  type Health,
  isServing,
  type SandboxStatus,
} from "../../../src/preview/rules/preview.ts";
import { listFrontends } from "../../../src/project/rules/frontends.ts";
import type { ServiceLayout } from "../../../src/project/rules/settings.ts";
import { type SandboxLifeState, sandboxStates } from "../../../src/sandbox/rules/lifecycle.ts";
import { isOpen, sessionStatuses } from "../../../src/session/rules/status.ts";

const layout: ServiceLayout[] = [
  { name: "web", endpoints: [{ port: 3000, public: true }] },
  { name: "api", endpoints: [{ port: 4000, public: false }] },
  { name: "worker", endpoints: [] },
];
/** A sandbox's status apart from its state and its services. */
const status = { generation: 1, resumesOnVisit: true, isResetting: false, layout: null };
const health = (state: SandboxLifeState, services: SandboxStatus["services"] = null) =>
  getHealth({ ...status, state, services }, layout, listFrontends(layout));
const up = { ageMs: 20_000, isDone: false, restarts: 0, lastExit: null, logEnd: "" };
const answers = (web: boolean, api: boolean) => [
  { name: "web", answers: web, answeringPorts: web ? [3000] : [], run: up },
  { name: "api", answers: api, answeringPorts: api ? [4000] : [], run: up },
  { name: "worker", answers: null, answeringPorts: [], run: up },
];

describe("a preview", () => {
  it("exists for a session that is Active or Under Review", () => {
    expect(sessionStatuses.filter(isOpen)).toEqual(["active", "under-review"]);
  });
});

describe("the health of an unreachable sandbox", () => {
  const unserved = [{ name: "web", httpResult: null }];
  const rows: Record<Exclude<SandboxLifeState, "running">, Partial<Health>> = {
    absent: { needsStart: true, services: unserved },
    gone: { needsStart: true, services: unserved },
    paused: { paused: true, needsStart: true, services: unserved },
    creating: { services: unserved },
    pausing: { indeterminate: true },
    resuming: { indeterminate: true },
  };

  it.each(Object.entries(rows) as [SandboxLifeState, Partial<Health>][])("%s", (state, told) => {
    const nothing = { paused: false, needsStart: false, indeterminate: false, services: [] };
    expect(health(state)).toEqual({ state: "starting", sandboxAvailable: false, ...nothing, ...told });
  });

  it("is indeterminate if it runs and does not respond", () => {
    expect(health("running")).toMatchObject({ indeterminate: true, sandboxAvailable: false, services: [] });
  });

  it("lists nothing for a project without public endpoints", () => {
    const closed = layout.slice(1);
    const told = getHealth({ ...status, state: "paused", services: null }, closed, listFrontends(closed));
    expect(told.services).toEqual([]);
  });

  it("is never healthy", () => {
    const unreached = sandboxStates.filter((state) => health(state).state === "starting");
    expect(unreached).toEqual(sandboxStates);
  });
});

describe("the health of a running sandbox", () => {
  it.each([
    ["healthy", "when every service answers", true, true],
    ["starting", "when a service does not", true, false],
    ["starting", "when none does", false, false],
  ])("is %s %s", (state, _, web, api) => {
    expect(health("running", answers(web, api)).state).toBe(state);
  });

  it("lists the agent first, then each service, null for a service without endpoints", () => {
    expect(health("running", answers(true, false))).toEqual({
      state: "starting",
      services: [
        { name: "agent", httpResult: "healthy" },
        { name: "web", httpResult: "healthy" },
        { name: "api", httpResult: "not_healthy" },
        { name: "worker", httpResult: null },
      ],
      sandboxAvailable: true,
      paused: false,
      needsStart: false,
      indeterminate: false,
    });
  });

  it("is starting until a reset is done, whatever the services respond", () => {
    const resetting = { ...status, state: "running", isResetting: true } as const;
    const told = getHealth({ ...resetting, services: answers(true, true) }, layout, listFrontends(layout));
    expect(told).toMatchObject({ state: "starting", sandboxAvailable: true, indeterminate: false });
  });

  it("is starting while a service of the settings is not running yet", () => {
    const told = health("running", [{ name: "web", answers: true, answeringPorts: [3000], run: up }]);
    expect(told.state).toBe("starting");
    expect(told.services).toContainEqual({ name: "api", httpResult: null });
  });

  it("names a service that ends repeatedly with its crash, whether or not the others wait for it", () => {
    const run = { ageMs: null, isDone: false, restarts: 2, lastExit: { code: 127, how: "exited 127" }, logEnd: "" };
    const web = { name: "web", answers: false, answeringPorts: [], run };
    const services = [web, ...answers(false, true).slice(1)];
    const told = health("running", services);
    expect(told.state).toBe("starting");
    expect(told.services).toContainEqual(
      expect.objectContaining({ name: "web", crash: { how: "exited 127", logEnd: "" } }),
    );
    const worker = { name: "worker", answers: null, answeringPorts: [], run };
    expect(health("running", [...answers(true, true).slice(0, 2), worker]).state).toBe("healthy");
  });

  it("is healthy for a project without services", () => {
    const told = getHealth({ ...status, state: "running", services: [] }, [], []);
    expect(told).toMatchObject({ state: "healthy", services: [{ name: "agent", httpResult: "healthy" }] });
  });
});

test("each endpoint of a service has its own state", () => {
  const endpoints = [3000, 3001].map((port) => ({ port, name: `at-${port}`, public: true }));
  const frontends = listFrontends([{ name: "web", endpoints }]);
  const served = (services: SandboxStatus["services"]) => frontends.map((frontend) => isServing(frontend, services));
  expect(served([{ name: "web", answers: false, answeringPorts: [3000], run: up }])).toEqual([true, false]);
  expect(served([{ name: "web", answers: true, answeringPorts: [3000, 3001], run: up }])).toEqual([true, true]);
  expect(served([{ name: "other", answers: true, answeringPorts: [3000], run: up }])).toEqual([false, false]);
  expect(served(null)).toEqual([false, false]);
});

describe("a preview request that nothing accepts", () => {
  it.each([
    ["running", "silent"],
    ["creating", "starting"],
    ["resuming", "starting"],
    ["pausing", "paused"],
    ["paused", "paused"],
    ["absent", "paused"],
    ["gone", "ended"],
  ] as const)("in a sandbox that is %s: %s", (state, trouble) => {
    expect(getUnavailableReason(state)).toBe(trouble);
  });
});
