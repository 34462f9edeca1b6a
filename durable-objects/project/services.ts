// The services of a sandbox as a Deploy judges them: all have to answer.
import type { Env } from "../../src/env.ts";
import type { SandboxStatus } from "../../src/rules/preview/preview.ts";
import { crashOf, serviceState } from "../../src/rules/preview/service-state.ts";
import { sandboxObject } from "../address.ts";

const lookEveryMs = 250;
/** A service that was started again this often without answering is given up for the agent to mend. */
const restartsGivenUp = 3;

/** Waits until every service answers. Answers what is wrong with those that do not, each in a sentence with the end of its log. */
export async function problemsOfServices(env: Pick<Env, "SANDBOX">, key: string, until: number): Promise<string[]> {
  for (;;) {
    const status: SandboxStatus = await sandboxObject(env, key).status();
    if (status.state !== "running") return ["The sandbox stopped."];
    const open = (status.services ?? []).filter(({ answers }) => answers === false);
    if (status.services !== null && open.length === 0) return [];
    const isHopeless = open.length > 0 && open.every(({ run }) => (run?.restarts ?? 0) >= restartsGivenUp);
    if (isHopeless || Date.now() >= until)
      return open.length === 0 ? ["The sandbox does not say how its services are."] : open.map(problemOf);
    await scheduler.wait(lookEveryMs);
  }
}

function problemOf(service: NonNullable<SandboxStatus["services"]>[number]): string {
  const crash = crashOf(service);
  if (crash)
    return `The service ${service.name} ${crash.how} and does not answer. The end of its log:\n${crash.logEnd}`;
  const isWaiting = serviceState(service) === "waiting";
  return `The service ${service.name} ${isWaiting ? "was not started yet" : "runs, and does not answer on its port"}.`;
}
