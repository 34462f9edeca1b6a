// Whether the agent works now, and what is read again once it has ended.
import { useEffect, useRef } from "react";
import { queryClient } from "../api.ts";
import type { LiveSession } from "./live-session.ts";

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

/** The workspace has the usage of a turn soon after its end. */
const usageReportMs = 5_000;
const readUsageAgain = () => queryClient.invalidateQueries({ queryKey: ["usage"] });

/** Reads the work of a session again when a turn ends. */
export function useReadAfterTurn(live: LiveSession): void {
  const sessionId = live.session?.id;
  const isRunning = isTurnRunning(live);
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning && sessionId) {
      for (const key of readAgain) queryClient.invalidateQueries({ queryKey: [key, sessionId] });
      readUsageAgain();
      setTimeout(readUsageAgain, usageReportMs);
    }
    wasRunning.current = isRunning;
  }, [isRunning, sessionId]);
}
