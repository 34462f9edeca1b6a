// How much of a login is used, in each of its windows. Its provider may not say.
import { useQuery } from "@tanstack/react-query";
import { Button } from "../ui/button.tsx";
import { Meter } from "../ui/meter.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { listWindows, type ProviderId } from "./logins.ts";
import { loginUsageQuery } from "./queries.ts";

export function UsageWindows({ provider, loginId }: { provider: ProviderId; loginId: string }) {
  const { data: usage, error, isFetching, refetch } = useQuery(loginUsageQuery(provider, loginId));
  const refusal = error !== null && (
    <div className="mt-2">
      <Refusal error={error}>
        <Button disabled={isFetching} onClick={() => refetch()}>
          Try again
        </Button>
      </Refusal>
    </div>
  );
  if (refusal && !usage) return refusal;
  return (
    <>
      <dl className="mt-2 grid min-h-11 grid-cols-[repeat(auto-fit,minmax(11rem,1fr))] gap-x-6 gap-y-2">
        {usage &&
          listWindows(usage).map(({ name, utilization, resetsAt }) => (
            <div key={name}>
              <dt className="sr-only">Used in {name.toLowerCase()}</dt>
              <dd>
                <p className="mb-1 flex justify-between gap-2 text-meta text-quiet">
                  <span>
                    <span aria-hidden="true">{name}</span>{" "}
                    <span className="font-medium text-ink tabular-nums">{Math.round(utilization)} %</span>
                  </span>
                  {resetsAt !== null && (
                    <span>
                      resets <Ago at={resetsAt} />
                    </span>
                  )}
                </p>
                <Meter value={utilization} max={100} />
              </dd>
            </div>
          ))}
      </dl>
      {refusal}
    </>
  );
}
