// Says how long a running turn has been silent, once that is long.
import type { ShownMessage } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { service } from "../api.ts";
import { getServiceNow } from "../ui/clock.ts";
import { useNow } from "../ui/time.tsx";
import { askAfterMs, countContent, describeSilence, findNewestTime } from "./silence.ts";
import type { Job } from "./turns.ts";
import { useConversation } from "./use-conversation.ts";

const askEveryMs = 10_000;

export function SilenceLine({ job, messages }: { job: Job; messages: readonly ShownMessage[] }) {
  const now = useNow(1_000);
  const content = countContent(messages);
  const known = useRef(content);
  const [changedAt, setChangedAt] = useState(0);
  useEffect(() => {
    if (content !== known.current) setChangedAt(getServiceNow());
    known.current = content;
  }, [content]);
  const lastEventAt = Math.max(changedAt, findNewestTime(job, messages));
  const lastSignAt = useLastSign(job.id, now - lastEventAt >= askAfterMs);
  const block = messages.at(-1)?.blocks.at(-1);
  const isToolRunning = block?.type === "tool" && block.status === "running";
  const words = describeSilence({ now, lastEventAt, lastSignAt, isToolRunning });
  return words && <p className="text-meta text-quiet tabular-nums">{words}</p>;
}

/** The last sign of life that the service knows of, asked for during a silence. */
function useLastSign(jobId: string, isSilent: boolean): number | null {
  const { session } = useConversation();
  const { data } = useQuery({
    queryKey: ["last-sign", jobId],
    queryFn: async ({ signal }) => {
      const path = { projectId: session?.projectId ?? "", sessionId: session?.id ?? "", jobId };
      const { job } = await service.request(
        "GET /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat/{jobId}",
        { path, signal },
      );
      return Date.parse(job.lastSignAt ?? job.startedAt ?? job.createdAt);
    },
    enabled: isSilent && session !== null,
    refetchInterval: askEveryMs,
    staleTime: 0,
    gcTime: 0,
  });
  return (isSilent && data) || null;
}
