// The next fires of a schedule, as the service computes them, and why it would refuse the schedule.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { service } from "../api.ts";
import { formatSlot } from "./run-words.ts";

const firesShown = 5;

const nextFiresQuery = (workspaceId: string, expression: string) => ({
  queryKey: ["next-fires", workspaceId, expression],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    service.request("GET /api/organizations/{workspaceId}/cron-preview", {
      path: { workspaceId },
      query: { expression, count: firesShown },
      signal,
    }),
  placeholderData: keepPreviousData,
});

interface NextFiresProps {
  workspaceId: string;
  timeZone: string;
  expression: string;
}

export function NextFires({ workspaceId, timeZone, expression }: NextFiresProps) {
  const asked = useDeferredValue(expression.trim());
  const { data } = useQuery({ ...nextFiresQuery(workspaceId, asked), enabled: asked !== "" });
  if (asked === "" || !data) return null;
  return (
    <div role="status" className="text-ui">
      {data.problem !== null && <p className="text-red-ink [overflow-wrap:anywhere]">{data.problem}</p>}
      {data.fires.length > 0 && (
        <>
          <p className="text-meta text-quiet">The next fires, {timeZone}</p>
          <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1 tabular-nums">
            {data.fires.map((fire) => (
              <li key={fire}>
                <time dateTime={fire}>{formatSlot(fire, timeZone)}</time>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
