// The answer to Run now: a run for each project, as a link.
import type { Schemas } from "@switchyard/client";
import { Link } from "@tanstack/react-router";
import { StateMark } from "../ui/state-mark.tsx";
import type { CronPath } from "./queries.ts";
import { markRun } from "./run-words.ts";

export type Fired = Schemas["FiredRun"];

interface FiredRunsProps {
  path: CronPath;
  fired: readonly Fired[];
  projects: readonly { id: string; name: string }[];
}

export function FiredRuns({ path: { workspaceId, cronId }, fired, projects }: FiredRunsProps) {
  return (
    <div role="status">
      {fired.length > 0 && (
        <ul className="mt-4 space-y-1 rounded-block bg-accent-tint px-4 py-3">
          {fired.map(({ runId, projectId, status }) => (
            <li key={runId} className="flex flex-wrap items-center gap-x-3">
              {status === "queued" ? (
                <StateMark mark="starting" />
              ) : (
                <StateMark mark={status === "running" ? "starting" : markRun(status)} />
              )}
              <bdi className="min-w-0 truncate">{projects.find(({ id }) => id === projectId)?.name}</bdi>
              {/* A run that is queued cannot be read before its fire has opened it. */}
              {status !== "queued" && (
                <Link
                  to="/crons/$cron/runs/$run"
                  params={{ cron: cronId, run: runId }}
                  search={{ workspace: workspaceId }}
                  className="font-medium text-accent underline underline-offset-2"
                >
                  Open the run
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
