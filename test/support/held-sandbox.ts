// Sandboxes that a test blocks: in their setup, or by stopping their program.
import { randomUUID } from "node:crypto";
import { closedGate } from "./gate.ts";
import { listProcesses, readCommand, signalAll } from "./process-tree.ts";
import { until } from "./until.ts";
import type { WorldAddress } from "./world-address.ts";
import { createInside } from "./world-inside.ts";

export interface GatedProject {
  projectId: string;
  /** Lets the waiting and all later sandboxes start. */
  open(): void;
}

/** Adds a project like the demo one. The setup of its sandboxes waits until the gate is opened. */
export async function addGatedProject(world: Pick<WorldAddress, "projectId" | "insideUrl">) {
  const { command, open } = await closedGate();
  return { projectId: await addProject(world, command), open } satisfies GatedProject;
}

/** Adds a project like the demo one with these setup commands. */
export async function addProject(world: Pick<WorldAddress, "projectId" | "insideUrl">, ...setup: string[]) {
  const id = randomUUID();
  await createInside(world).sql(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, is_live, settings, main_sandbox_key,
       created_at, updated_at)
     SELECT ?1, workspace_id, name, repository, target_branch, deploy_status, is_live,
     json_set(settings, '$.setup', json(?2)), ?3, created_at, updated_at FROM projects WHERE id = ?4`,
    id,
    JSON.stringify(setup),
    `m${id.replaceAll(/[^a-z0-9]/g, "").slice(0, 16)}`,
    world.projectId,
  );
  return id;
}

/** Stops the program of a running sandbox (SIGSTOP). Returns a function that continues it. */
export async function freezeSandbox({ stateDir }: Pick<WorldAddress, "stateDir">, sandboxKey: string) {
  const programs = await until("the sandbox's program", () => {
    const found = listProcesses(`${stateDir}/sandboxes/${sandboxKey}`);
    const running = found.filter((process) => readCommand(process).includes("sandbox.cjs"));
    return running.length > 0 && running;
  });
  signalAll(programs, "SIGSTOP");
  return () => signalAll(programs, "SIGCONT");
}
