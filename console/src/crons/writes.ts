// What a person does with a cron: change, pause, run, stop and delete it.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { useUserId } from "../shell/profile.ts";
import { workspaceQuery } from "../workspace/queries.ts";
import { isAtLeast } from "../workspace/roles.ts";
import { refreshCron, takeCron } from "./live.ts";
import type { Cron, CronPath, RunPath } from "./queries.ts";

const cronPath = "/api/organizations/{workspaceId}/crons/{cronId}";

/** Pauses or resumes a cron: shown immediately, and taken back if the service refuses it. */
export async function enableCron(workspaceId: string, cron: Cron, enabled: boolean): Promise<void> {
  takeCron(workspaceId, { ...cron, enabled, disabledReason: null, nextRunAt: null });
  try {
    const path = { workspaceId, cronId: cron.id };
    takeCron(workspaceId, await service.request(`PATCH ${cronPath}`, { path, body: { enabled } }));
  } catch (error) {
    takeCron(workspaceId, cron);
    throw error;
  }
}

/** Resumes a project that the cron has paused after its runs failed. */
export async function resumeProject(path: CronPath, projectId: string): Promise<void> {
  const operation = `POST ${cronPath}/projects/{projectId}/resume` as const;
  takeCron(path.workspaceId, await service.request(operation, { path: { ...path, projectId } }));
}

/** Fires a cron now in all its projects that are not paused, or in one. */
export async function runNow(path: CronPath, projectId?: string) {
  const { runs } = await service.request(`POST ${cronPath}/run`, {
    path: { ...path },
    ...(projectId === undefined ? {} : { body: { projectIds: [projectId] } }),
    idempotencyKey: crypto.randomUUID(),
  });
  refreshCron(path.cronId);
  return runs;
}

export async function stopRun(path: RunPath): Promise<void> {
  const run = await service.request(`POST ${cronPath}/runs/{runId}/cancel`, { path: { ...path } });
  queryClient.setQueryData(["cron-run", path.runId], run);
  refreshCron(path.cronId);
}

export async function deleteCron(path: CronPath): Promise<void> {
  await service.request(`DELETE ${cronPath}`, { path: { ...path } });
}

/**
 * Whether the person may change a cron: they created it, or administer its workspace. Null until
 * that is known.
 */
export function useMayChange(workspaceId: string, createdBy: string): boolean | null {
  const userId = useUserId();
  const { data } = useQuery(workspaceQuery(workspaceId));
  if (userId === createdBy) return true;
  return data && userId !== null ? isAtLeast(data.role, "admin") : null;
}

/** Does one thing at a time, and keeps why the last one was refused. */
export function useAction() {
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  async function act(name: string, doIt: () => Promise<void>): Promise<void> {
    setError(null);
    setBusy(name);
    await doIt().catch(setError);
    setBusy(null);
  }
  return { busy, error, act };
}
