// A cron in the list: its schedule and projects, its last run, and when it fires next.

import { Link } from "@tanstack/react-router";
import { StateMark } from "../ui/state-mark.tsx";
import { Ago } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import type { Cron } from "./queries.ts";
import { formatSchedule, formatSlot, markRun } from "./run-words.ts";

export function CronRow({ workspaceId, cron }: { workspaceId: string; cron: Cron }) {
  const { id, name, projects, lastRunStatus, lastRunAt } = cron;
  return (
    <li>
      <Link
        to="/crons/$cron"
        params={{ cron: id }}
        search={{ workspace: workspaceId }}
        data-row
        className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 -outline-offset-2! hover:bg-sunk"
      >
        <span className="min-w-0 flex-1 basis-60">
          <Name className="block truncate font-medium" title={name}>
            {name}
          </Name>
          <span className="block text-meta text-quiet [overflow-wrap:anywhere]">{formatSchedule(cron)}</span>
          <ul className="flex flex-wrap gap-x-3 text-meta text-quiet">
            {projects.map(({ id: projectId, name: project, pausedAt }) => (
              <li key={projectId} className="flex min-w-0 gap-1">
                <Name className="truncate">{project}</Name>
                {pausedAt !== null && <span className="shrink-0 text-amber-ink">(paused after failures)</span>}
              </li>
            ))}
          </ul>
        </span>
        <span className="flex shrink-0 flex-wrap items-center gap-x-4 text-meta text-quiet max-sm:basis-full sm:flex-col sm:items-end">
          {lastRunStatus !== null && lastRunAt !== null && (
            <span className="flex items-center gap-1.5">
              <StateMark mark={markRun(lastRunStatus)} /> <Ago at={lastRunAt} />
            </span>
          )}
          <NextFire cron={cron} />
        </span>
      </Link>
    </li>
  );
}

/** When a cron fires next, or that it does not. */
function NextFire({ cron: { enabled, disabledReason, nextRunAt, timezone } }: { cron: Cron }) {
  if (!enabled)
    return (
      <span className={disabledReason === null ? "text-quiet" : "text-amber-ink"}>
        <span aria-hidden="true">‖</span> {disabledReason === null ? "paused" : "disabled"}
      </span>
    );
  return nextRunAt === null ? null : (
    <time dateTime={nextRunAt} className="whitespace-nowrap tabular-nums">
      next {formatSlot(nextRunAt, timezone)}
    </time>
  );
}
