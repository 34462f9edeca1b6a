// When a running turn may have changed the checkout of its session, and how often that is read.
import type { SessionState } from "@switchyard/client";
import { wait } from "../wait.ts";

/** The tools that change files or commits. Other tools only read them, or do not see them. */
const changingTools = new Set(["edit", "write", "bash", "git", "sync_branch"]);

/**
 * A mark that changes when the sandbox of a turn has started, and when one of its tools that may
 * change the checkout has ended. Empty while no turn runs; null while that is not known.
 */
export function markRunningWork(state: Pick<SessionState, "jobs" | "messages"> | null): string | null {
  if (state === null) return null;
  const job = state.jobs.at(-1);
  if (job?.status !== "running") return "";
  const blocks = state.messages.flatMap((message) => (message.jobId === job.id ? message.blocks : []));
  const ended = blocks.filter(
    (block) => block.type === "tool" && block.status !== "running" && changingTools.has(block.name),
  );
  return `${job.id} ${ended.length}`;
}

/**
 * Makes a read that is asked for often: immediately, and then again when the last one has ended and
 * the interval is over, if somebody asked meanwhile.
 */
export function createSparingRead(read: () => Promise<unknown>, everyMs: number) {
  let isWaiting = false;
  let isAsked = false;
  let isStopped = false;
  async function ask(): Promise<void> {
    isAsked = true;
    if (isWaiting) return;
    isWaiting = true;
    while (isAsked && !isStopped) {
      isAsked = false;
      await Promise.all([read(), wait(everyMs)]);
    }
    isWaiting = false;
  }
  const stop = () => {
    isStopped = true;
  };
  return { ask, stop };
}
