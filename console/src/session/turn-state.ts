// Whether the agent works now, and what is read again while it works and once it has ended.
import { useEffect, useRef } from "react";
import { queryClient } from "../api.ts";
import type { LiveSession } from "./live-session.ts";
import { createSparingRead, markRunningWork } from "./running-work.ts";

/** The newest turn of a session; null before its first one. */
function newestTurn({ state, session }: LiveSession): { id: string; status: string } | null {
  const { latestChatJob } = state?.session ?? session?.data ?? { latestChatJob: null };
  const job = state?.jobs.at(-1);
  return job ?? latestChatJob;
}

/** True while a turn starts or runs. */
export function isTurnRunning(live: LiveSession): boolean {
  const status = newestTurn(live)?.status;
  return status === "pending" || status === "running";
}

const readAgain = ["changes", "diff", "git", "comments", "files", "file", "artifacts"];
/** What each tool may change. These reads ask the sandbox. */
const readWhileRunning = ["changes", "diff", "git", "files", "file"];
const readEveryMs = 5_000;

const refresh = (keys: readonly string[], sessionId: string) =>
  Promise.all(keys.map((key) => queryClient.invalidateQueries({ queryKey: [key, sessionId] })));

/** The workspace has the usage of a turn soon after its end. */
const usageReportMs = 5_000;
const readUsageAgain = () => queryClient.invalidateQueries({ queryKey: ["usage"] });

/** Reads the work of a session again while a turn changes it, and when a turn ends. */
export function useFreshWork(live: LiveSession): void {
  const sessionId = live.session?.id;
  const runningId = isTurnRunning(live) ? (newestTurn(live)?.id ?? null) : null;
  const lastRunningId = useRef(runningId);
  useEffect(() => {
    const hasEnded = lastRunningId.current !== null && lastRunningId.current !== runningId;
    lastRunningId.current = runningId;
    if (!hasEnded || !sessionId) return;
    refresh(readAgain, sessionId);
    readUsageAgain();
    setTimeout(readUsageAgain, usageReportMs);
  }, [runningId, sessionId]);

  const mark = markRunningWork(live.state);
  const lastMark = useRef(mark);
  const reads = useRef<ReturnType<typeof createSparingRead> | null>(null);
  useEffect(() => {
    if (!sessionId) return;
    const sparing = createSparingRead(() => refresh(readWhileRunning, sessionId), readEveryMs);
    reads.current = sparing;
    return sparing.stop;
  }, [sessionId]);
  useEffect(() => {
    // What was open before is read when it is shown.
    const isNew = lastMark.current !== null && lastMark.current !== mark;
    lastMark.current = mark;
    if (isNew && mark) reads.current?.ask();
  }, [mark]);
}
