// The sandboxes that run when the limit is reached, each with Stop.
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";
import { describeFreeing, describeSandboxes } from "../workspace/sandbox-words.ts";
import { type PreviewPath, useRunningSandboxes } from "./queries.ts";

export function Limits({ of, onWake }: { of: PreviewPath; onWake: () => void }) {
  const { limit, stop } = useRunningSandboxes(of, onWake);
  const running = limit.data?.runningSessions ?? [];
  const error = limit.error ?? stop.error;
  return (
    <div className="w-full max-w-md">
      <h2 className="font-bold text-title">The limit of running sandboxes is reached</h2>
      {limit.data &&
        [...describeSandboxes(limit.data), describeFreeing(limit.data)].map((sentence) => (
          <p key={sentence} className="mt-1 text-quiet text-ui">
            {sentence}
          </p>
        ))}
      <ul className="mt-3 divide-y divide-line rounded-card border border-line bg-panel empty:hidden">
        {running.map(({ sessionId: id, title }) => (
          <li key={id} className="flex min-h-11 items-center gap-2 px-3 py-1">
            <Name className="min-w-0 flex-1 truncate text-ui">{title}</Name>
            <Button disabled={stop.isPending} onClick={() => stop.mutate(id)}>
              Stop
            </Button>
          </li>
        ))}
      </ul>
      {error ? (
        <div className="mt-3">
          <Refusal error={error} />
        </div>
      ) : null}
      <Button kind="main" className="mt-4" onClick={onWake}>
        Try again
      </Button>
    </div>
  );
}
