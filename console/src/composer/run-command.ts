// Runs `/clear` and `/compact`, and says how they ended.
import type { Schemas } from "@switchyard/client";
import { service } from "../api.ts";
import { wait } from "../wait.ts";
import type { SessionPath } from "./deliver.ts";
import type { readCommand } from "./slash.ts";

const lookEveryMs = 1_500;
const longestMs = 180_000;

const words: Record<Schemas["RuntimeCommand"], { running: string; completed: string }> = {
  "/clear": { running: "The agent is made to start fresh…", completed: "The agent starts fresh from here." },
  "/compact": { running: "The conversation is being summarized…", completed: "The conversation was summarized." },
};

/** Resolves when the command has ended. A refusal or a failure is thrown. */
export async function runCommand(
  path: SessionPath,
  body: NonNullable<ReturnType<typeof readCommand>>,
  onNotice: (notice: string) => void,
): Promise<void> {
  const operation = "POST /api/projects/{projectId}/chat-sessions/{sessionId}/runtime-commands";
  await service.request(operation, { path: { ...path }, body, idempotencyKey: crypto.randomUUID() });
  onNotice(words[body.command].running);
  for (let waitedMs = 0; waitedMs < longestMs; waitedMs += lookEveryMs) {
    const read = "GET /api/projects/{projectId}/chat-sessions/{sessionId}";
    const { session } = await service.request(read, { path: { ...path } });
    const run = session.runtimeCommand;
    if (run?.status === "failed") throw new Error(run.error ?? `${body.command} failed.`);
    if (run?.status !== "running") return onNotice(words[body.command].completed);
    await wait(lookEveryMs);
  }
}
