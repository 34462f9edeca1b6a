// The calls on a Deploy, and on the messages that wait in its Up next.
import type { Input, Schemas } from "@switchyard/client";
import { queryOptions } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";
import { deployChatQuery } from "./live-deploys.ts";
import { projectQuery } from "./queries.ts";

const base = "/api/projects/{projectId}/settings/agentic-deploy";

export type DeployBody = Exclude<NonNullable<Input<`POST ${typeof base}`>["body"]>, FormData>;

/** Reads again what a call may have changed. */
function readAgain(projectId: string): void {
  for (const { queryKey } of [deployChatQuery(projectId), deployQueueQuery(projectId), projectQuery(projectId)])
    queryClient.invalidateQueries({ queryKey, refetchType: "all" });
  queryClient.invalidateQueries({ queryKey: ["deploys", projectId] });
}

export interface DeploySend {
  body?: DeployBody;
  files?: readonly File[];
}

/** Starts a Deploy, or sends a message. `key` is the same for a repeat. */
export async function sendToDeploy(
  projectId: string,
  { body, files, key }: DeploySend & { key: string },
): Promise<Schemas["DeployDelivery"]> {
  const path = { projectId };
  const idempotencyKey = key;
  try {
    if (body === undefined) return await service.request(`POST ${base}`, { path, idempotencyKey });
    if (!files || files.length === 0) return await service.request(`POST ${base}`, { path, body, idempotencyKey });
    return await service.request(`POST ${base}`, { path, body: toForm(body, files), idempotencyKey });
  } finally {
    readAgain(projectId);
  }
}

function toForm({ userResponse = "", answers, freshDeploy, runningDeployJobId }: DeployBody, files: readonly File[]) {
  const form = new FormData();
  form.set("content", userResponse);
  if (answers) form.set("answers", JSON.stringify(answers));
  if (freshDeploy) form.set("freshDeploy", "true");
  if (runningDeployJobId) form.set("runningDeployJobId", runningDeployJobId);
  form.set("attachmentCount", String(files.length));
  for (const [index, file] of files.entries()) form.set(`attachment_${index}`, file, file.name);
  return form;
}

/** Stops the Deploy. Resolves with the texts that waited for its agent and are not kept. */
export async function cancelDeploy(projectId: string): Promise<string[]> {
  try {
    const { discardedInstructions } = await service.request(`POST ${base}/cancel`, { path: { projectId } });
    return discardedInstructions.map(({ content }) => content);
  } finally {
    readAgain(projectId);
  }
}

export async function chooseDeployModel(projectId: string, model: string): Promise<void> {
  await service.request(`PUT ${base}/model`, { path: { projectId }, body: { model } });
  await queryClient.invalidateQueries({ ...deployChatQuery(projectId), refetchType: "all" });
}

export const deployQueueQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["deploy-queue", projectId],
    queryFn: ({ signal }) => service.request(`GET ${base}/queue`, { path: { projectId }, signal }),
  });

export type QueueStep =
  | { do: "delete" | "send" | "steer" }
  | { do: "move"; toIndex: number }
  | { do: "edit"; content: string; version: number };

/** Does something with a waiting message. */
export async function changeQueued(projectId: string, queuedMessageId: string, step: QueueStep): Promise<void> {
  const path = { projectId, queuedMessageId };
  const one = `${base}/queue/{queuedMessageId}` as const;
  try {
    switch (step.do) {
      case "delete":
        return await service.request(`DELETE ${one}`, { path });
      case "move":
        return await service.request(`POST ${one}/move`, { path, body: { toIndex: step.toIndex } });
      case "edit":
        return await service.request(`PATCH ${one}`, { path, body: { content: step.content, version: step.version } });
      default:
        await service.request(`POST ${one}/${step.do}`, { path });
    }
  } finally {
    readAgain(projectId);
  }
}

export async function resumeDeployQueue(projectId: string): Promise<void> {
  try {
    await service.request(`POST ${base}/queue/resume`, { path: { projectId } });
  } finally {
    readAgain(projectId);
  }
}
