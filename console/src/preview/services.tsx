// The services of a preview: what each does, its log, and the reset of all of them.

import type { Schemas } from "@switchyard/client";
import { ChevronRight } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";
import { endOfLog, type PreviewState } from "./health.ts";
import { LogBox } from "./log-box.tsx";
import { type PreviewPath, useReset, useServiceLog, useServices } from "./queries.ts";

const states: Record<Schemas["Service"]["state"], [word: string, tone: string]> = {
  waiting: ["○ waits", "text-quiet"],
  starting: ["● starting", "text-accent"],
  running: ["✓ running", "text-green-ink"],
  not_answering: ["✕ does not answer", "text-red-ink"],
  crashed: ["✕ crashed", "text-red-ink"],
  done: ["✓ done", "text-quiet"],
  stopped: ["○ stopped", "text-quiet"],
};

export function Services({ of, state }: { of: PreviewPath; state: PreviewState }) {
  const { data: services = [], error, refetch } = useServices(of);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with the preview, its services change.
  useEffect(() => {
    refetch();
  }, [state]);
  const [opened, setOpened] = useState<string | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const reset = useReset(of);
  if (services.length === 0 && !error) return null;
  return (
    <section aria-label="Services" className="max-h-[45%] shrink-0 overflow-y-auto border-line border-t">
      <div className="sticky top-0 z-10 flex min-h-10 items-center gap-2 bg-panel px-3">
        <h2 className="font-bold text-meta text-quiet">Services</h2>
        <span role="status" className="text-meta text-quiet">
          {reset.isSuccess && state === "starting" ? "They start again." : ""}
        </span>
        <span className="flex-1" />
        <Button kind="bare" disabled={reset.isPending} onClick={() => setIsAsking(true)}>
          Reset
        </Button>
      </div>
      {(error ?? reset.error) ? (
        <div className="px-3 pb-3">
          <Refusal error={error ?? reset.error} />
        </div>
      ) : null}
      <ul>
        {services.map(({ name, state, restarts, lastExit }) => {
          const [word, tone] = states[state];
          const isOpen = opened === name;
          return (
            <li key={name} className="border-line border-t">
              <button
                type="button"
                aria-expanded={isOpen}
                onClick={() => setOpened(isOpen ? null : name)}
                className="flex min-h-9 w-full items-center gap-2 px-3 text-left text-ui hover:bg-sunk pointer-coarse:min-h-11"
              >
                <ChevronRight className={`size-4 text-quiet ${isOpen ? "rotate-90" : ""}`} aria-hidden="true" />
                <Name className="font-medium">{name}</Name>
                <span className={`text-meta ${tone}`}>{word}</span>
                <span className="flex-1" />
                <span className="text-meta text-quiet">
                  {lastExit}
                  {restarts > 0 && ` · started again ${restarts} ${restarts === 1 ? "time" : "times"}`}
                </span>
              </button>
              {isOpen && <ServiceLog of={of} name={name} />}
            </li>
          );
        })}
      </ul>
      <Confirm
        isOpen={isAsking}
        title="Start the services again?"
        word="Reset"
        onClose={() => setIsAsking(false)}
        onConfirm={() => {
          setIsAsking(false);
          reset.mutate();
        }}
      >
        The files and the branch stay as they are.
      </Confirm>
    </section>
  );
}

function ServiceLog({ of, name }: { of: PreviewPath; name: string }) {
  const { data, error } = useServiceLog(of, name);
  const log = data === undefined ? null : endOfLog(data.text);
  if (error && log === null)
    return (
      <div className="p-3">
        <Refusal error={error} />
      </div>
    );
  return (
    <LogBox
      text={log === null ? "Reading…" : log || "It has no output."}
      label={`Log of ${name}`}
      className="max-h-56 bg-sunk px-3 py-2 text-meta"
    />
  );
}
