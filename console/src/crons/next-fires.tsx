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

/**
 * The answer to the expression asked last, which is shown until there is a newer one. `problem` is
 * of the present expression; null for none, and while it is not known.
 */
export function useNextFires(workspaceId: string, expression: string | null) {
  const present = expression?.trim() ?? "";
  const asked = useDeferredValue(present);
  const { data, isPlaceholderData } = useQuery({ ...nextFiresQuery(workspaceId, asked), enabled: asked !== "" });
  const isPresent = asked === present && !isPlaceholderData;
  return {
    answer: asked === "" ? undefined : data,
    problem: isPresent && asked !== "" ? (data?.problem ?? null) : null,
  };
}

interface NextFiresProps {
  timeZone: string;
  answer: ReturnType<typeof useNextFires>["answer"];
}

export function NextFires({ timeZone, answer }: NextFiresProps) {
  if (!answer) return null;
  return (
    <div role="status" className="text-ui">
      {answer.problem !== null && <p className="text-red-ink [overflow-wrap:anywhere]">{answer.problem}</p>}
      {answer.fires.length > 0 && (
        <>
          <p className="text-meta text-quiet">The next fires, {timeZone}</p>
          <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1 tabular-nums">
            {answer.fires.map((fire) => (
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
