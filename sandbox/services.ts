// The project's services: the plan that is in force, the processes that carry it out, and whether they answer.
import { isDeepStrictEqual } from "node:util";
import type { ServicePlan, ServiceStatus, ServicesPlan } from "../src/sandbox/protocol.ts";
import { requireCheckout } from "./checkout.ts";
import { endpointAnswers } from "./endpoint-check.ts";
import type { Folders } from "./folders.ts";
import type { Ports } from "./ports.ts";
import { type ServiceProcess, startService } from "./service-process.ts";
import type { Environment } from "./shell-environment.ts";

export interface Services {
  /** Puts a plan in force: ends what it does not hold, then starts what is new or changed, in the plan's order. */
  apply(plan: ServicesPlan): Promise<void>;
  status(): Promise<ServiceStatus[]>;
  stopAll(): Promise<void>;
}

interface Running {
  plan: ServicePlan;
  env: Environment;
  process: ServiceProcess;
}

/** No service at first. */
export function createServices(folders: Folders, ports: Ports): Services {
  const running = new Map<string, Running>();

  async function stop(name: string): Promise<void> {
    const service = running.get(name);
    running.delete(name);
    await service?.process.stop();
  }

  return {
    async apply({ services, env, restart }) {
      requireCheckout(folders);
      const isKept = (plan: ServicePlan) => {
        const service = running.get(plan.name);
        return !restart && service !== undefined && isDeepStrictEqual([service.plan, service.env], [plan, env]);
      };
      const kept = new Set(services.filter(isKept).map((plan) => plan.name));
      await Promise.all([...running.keys()].filter((name) => !kept.has(name)).map(stop));
      await ports.assign(services);
      for (const plan of services) {
        if (!kept.has(plan.name))
          running.set(plan.name, { plan, env, process: startService(folders, plan, env, ports) });
      }
    },
    status: () => Promise.all([...running.values()].map(({ plan }) => readStatus(plan, ports))),
    async stopAll() {
      await Promise.all([...running.keys()].map(stop));
    },
  };
}

async function readStatus(plan: ServicePlan, ports: Ports): Promise<ServiceStatus> {
  if (plan.endpoints.length === 0) return { name: plan.name, answers: null };
  const answers = await Promise.all(
    plan.endpoints.map(({ port, healthPath }) => endpointAnswers(ports.real(port), healthPath)),
  );
  return { name: plan.name, answers: answers.every(Boolean) };
}
