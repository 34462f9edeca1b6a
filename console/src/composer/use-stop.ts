// Stops the running turn. It is stopping until an event says how the turn ended.
import { useEffect, useState } from "react";
import { service } from "../api.ts";
import type { SessionPath } from "./deliver.ts";
import { isBusy } from "./send-rules.ts";
import type { TurnNow } from "./use-turn.ts";

export function useStop(path: SessionPath | null, { jobId, phase }: TurnNow) {
  const [stoppingId, setStoppingId] = useState<string | null>(null);
  const [failed, setFailed] = useState<{ jobId: string; error: unknown } | null>(null);
  const busy = isBusy(phase);

  async function stop(): Promise<void> {
    if (!path || !jobId || !busy || stoppingId === jobId) return;
    setStoppingId(jobId);
    setFailed(null);
    try {
      const operation = "POST /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat/{jobId}/cancel";
      await service.request(operation, { path: { ...path, jobId } });
    } catch (error) {
      setStoppingId(null);
      setFailed({ jobId, error });
    }
  }

  useEffect(() => {
    function press(event: KeyboardEvent): void {
      if (event.key !== "." || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      stop();
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });

  // A turn that ended while it was being stopped needs no stop.
  const error = busy && failed?.jobId === jobId ? failed.error : null;
  return { stop, isStopping: busy && stoppingId === jobId, error, clear: () => setFailed(null) };
}
