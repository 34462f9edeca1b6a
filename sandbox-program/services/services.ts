// The project's services: the current plan, its processes, and their health.
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { ServiceStatus } from "../../src/preview/rules/preview.ts";
import type { ServiceRun } from "../../src/preview/rules/service-state.ts";
import { serviceLogBytes } from "../../src/rules/limits.ts";
import type { ServiceLog, ServicePlan, ServicesPlan } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import type { Environment } from "../process/environment.ts";
import { createQueue } from "../process/task-queue.ts";
import { readProject, recordServed } from "../project/checkout-record.ts";
import { waitUntilWhole } from "../rest-of-checkout.ts";
import { isEndpointReady } from "./endpoint-check.ts";
import type { Ports } from "./port-map.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

export interface Services {
  /**
   * Applies a plan: stops services that it does not contain, then starts new and changed ones in
   * order, in the background.
   */
  apply(plan: ServicesPlan): Promise<void>;
  status(): Promise<ServiceStatus[]>;
  /** The output of a service after an offset. Refuses an unknown name. */
  log(name: string, after?: string | null): ServiceLog;
  stopAll(): Promise<void>;
}

interface Running {
  plan: ServicePlan;
  env: Environment;
  process: ServiceProcess;
}

/**
 * A service may depend on earlier ones, so the next starts once the previous one responds, or after
 * this time.
 */
const startGraceMs = 15_000;
const lookEveryMs = 50;
/** The length of the log's end that shows why a service crashed. */
const logEndBytes = 4_096;

/** Creates the services, with an empty plan. Errors during starts go to `report`. */
export function createServices(folders: Folders, ports: Ports, report: (error: unknown) => void): Services {
  const running = new Map<string, Running>();
  // Routes and the agent's tools both apply plans, so plans are queued.
  const enqueue = createQueue();
  let inForce: ServicePlan[] = [];
  let hostEnv: Environment = {};
  let starting = new AbortController();

  async function answeringPorts({ endpoints }: ServicePlan): Promise<number[]> {
    const looks = endpoints.map(async ({ port, healthPath }) => {
      const reachable = ports.reachable(port);
      return reachable !== null && (await isEndpointReady(reachable, healthPath)) ? [port] : [];
    });
    return (await Promise.all(looks)).flat();
  }

  const answersWhole = async (plan: ServicePlan) => (await answeringPorts(plan)).length === plan.endpoints.length;

  function findRun(name: string, answers: boolean | null): ServiceRun | null {
    const process = running.get(name)?.process;
    if (!process) return null;
    const run = process.run();
    const isWell = answers === true || (answers === null && run.lastExit === null);
    return { ...run, logEnd: isWell ? "" : process.logEnd(logEndBytes) };
  }

  async function stop(name: string): Promise<void> {
    const service = running.get(name);
    running.delete(name);
    await service?.process.stop();
  }

  async function startInOrder(plans: ServicePlan[], env: Environment, signal: AbortSignal): Promise<void> {
    // The time that a service is given begins when it can run.
    await waitUntilWhole();
    for (const plan of plans) {
      if (signal.aborted) return;
      const answers = async () => (await answeringPorts(plan)).length > 0;
      const process = startService({ folders, ports, plan, env, hostEnv, answers });
      running.set(plan.name, { plan, env, process });
      const isLast = plan === plans.at(-1);
      const givenUpAt = Date.now() + (plan.endpoints.length === 0 || isLast ? 0 : startGraceMs);
      while (Date.now() < givenUpAt && !signal.aborted && !(await answersWhole(plan))) await sleep(lookEveryMs);
    }
  }

  async function applyPlan({ services, env, restart, ...plan }: ServicesPlan, signal: AbortSignal): Promise<void> {
    inForce = services;
    hostEnv = plan.hostEnv ?? hostEnv;
    const isKept = (plan: ServicePlan) => {
      const service = running.get(plan.name);
      return !restart && service !== undefined && isDeepStrictEqual([service.plan, service.env], [plan, env]);
    };
    const kept = new Set(services.filter(isKept).map((plan) => plan.name));
    await Promise.all([...running.keys()].filter((name) => !kept.has(name)).map(stop));
    if (kept.size === 0) await recordServed(folders);
    await ports.assign(services);
    const toStart = services.filter((plan) => !kept.has(plan.name));
    // If a newer plan is queued already, `signal` is aborted and that plan starts the services.
    void startInOrder(toStart, env, signal).catch(report);
  }

  /** Cancels the starts of earlier plans. */
  function supersede(): AbortSignal {
    starting.abort();
    starting = new AbortController();
    return starting.signal;
  }

  return {
    async apply(plan) {
      if (!readProject(folders)) throw createRefusal("NO_CHECKOUT", "The sandbox holds no checkout yet.");
      const signal = supersede();
      await enqueue(() => applyPlan(plan, signal));
    },
    status: () =>
      Promise.all(
        inForce.map(async (plan) => {
          const answering = await answeringPorts(plan);
          const { name, endpoints } = plan;
          const answers = endpoints.length === 0 ? null : answering.length === endpoints.length;
          return { name, answers, answeringPorts: answering, run: findRun(name, answers) };
        }),
      ),
    log(name, after = null) {
      if (!inForce.some((plan) => plan.name === name)) throw createRefusal("NOT_FOUND", `There is no service ${name}.`);
      return running.get(name)?.process.logAfter(after, serviceLogBytes) ?? { log: "" };
    },
    async stopAll() {
      supersede();
      await enqueue(() => Promise.all([...running.keys()].map(stop)));
    },
  };
}
