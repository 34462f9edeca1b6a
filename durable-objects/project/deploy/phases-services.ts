// The services of a sandbox as a Deploy judges them: all have to answer.
import type { Env } from "../../../src/env.ts";
import { problemOfService } from "../../../src/rules/deploy/service-problem.ts";
import type { SandboxStatus } from "../../../src/rules/preview/preview.ts";
import { sandboxObject } from "../../address.ts";

const lookEveryMs = 250;
/** The one problem of services whose sandbox does not run. */
export const sandboxStopped = "The sandbox stopped.";
/** A service that was started again this often without answering is given up for the agent to mend. */
const restartsGivenUp = 3;

/** Waits until every service answers. Answers what is wrong with those that do not, each in a sentence with the end of its log. */
export async function problemsOfServices(env: Pick<Env, "SANDBOX">, key: string, until: number): Promise<string[]> {
  for (;;) {
    const status: SandboxStatus = await sandboxObject(env, key).status();
    if (status.state !== "running") return [sandboxStopped];
    const open = (status.services ?? []).filter(({ answers }) => answers === false);
    if (status.services !== null && open.length === 0) return [];
    const isHopeless = open.length > 0 && open.every(({ run }) => (run?.restarts ?? 0) >= restartsGivenUp);
    if (isHopeless || Date.now() >= until)
      return open.length === 0
        ? ["The sandbox does not say how its services are."]
        : open.map((service) => problemOfService(service, status.layout));
    await scheduler.wait(lookEveryMs);
  }
}
