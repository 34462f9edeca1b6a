// The next fires of a schedule, as the service computes them, and why it would refuse the schedule.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { service } from "../api.ts";
import { Refusal } from "../ui/refusal.tsx";
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
 * The answer to the expression asked last, which is shown until there is a newer one. `isOutdated`
 * is true while it may be of another expression. `problem` is of the present expression; null for
 * none, and while it is not known.
 */
export function useNextFires(workspaceId: string, expression: string | null) {
  const present = expression?.trim() ?? "";
  const asked = useDeferredValue(present);
  const query = useQuery({ ...nextFiresQuery(workspaceId, asked), enabled: asked !== "" });
  const { data, error, isPending, isPlaceholderData } = query;
  const isOutdated = asked !== present || (asked !== "" && (isPending || isPlaceholderData));
  return {
    answer: asked === "" ? undefined : data,
    isOutdated,
    error,
    problem: isOutdated ? null : (data?.problem ?? null),
  };
}

interface NextFiresProps {
  timeZone: string;
  next: ReturnType<typeof useNextFires>;
}

export function NextFires({ timeZone, next: { answer, isOutdated, error } }: NextFiresProps) {
  if (error && !isOutdated)
    return <Refusal error={error} reword={(sentence) => `The next fires could not be read. ${sentence}`} />;
  return (
    <div role="status" className="text-ui">
      {isOutdated && <p className="text-meta text-quiet">Computing the next fires…</p>}
      {answer && answer.problem !== null && (
        <p className={`[overflow-wrap:anywhere] ${isOutdated ? "text-quiet" : "text-red-ink"}`}>{answer.problem}</p>
      )}
      {answer && answer.fires.length > 0 && (
        <>
          {!isOutdated && <p className="text-meta text-quiet">The next fires, {timeZone}</p>}
          <ul
            aria-hidden={isOutdated}
            className={`mt-1 flex flex-wrap gap-x-4 gap-y-1 tabular-nums ${isOutdated ? "text-quiet" : ""}`}
          >
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
