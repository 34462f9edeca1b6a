// The answer to Run now: a run for each project, with its present state, as a link.

import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { StateMark } from "../ui/state-mark.tsx";
import { Name } from "../ui/visible-text.tsx";
import { type CronPath, openingRunQuery, runsPage, runsQuery } from "./queries.ts";
import { markRun, tintMark } from "./run-words.ts";

export type Fired = Schemas["FiredRun"];

interface FiredRunsProps {
  path: CronPath;
  fired: readonly Fired[];
  projects: readonly { id: string; name: string }[];
}

export function FiredRuns({ path, fired, projects }: FiredRunsProps) {
  return (
    <div role="status">
      {fired.length > 0 && (
        <ul className="mt-4 space-y-1">
          {fired.map((one) => (
            <FiredRun
              key={one.runId}
              path={path}
              fired={one}
              projectName={projects.find(({ id }) => id === one.projectId)?.name}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

interface FiredRunProps {
  path: CronPath;
  fired: Fired;
  projectName: string | undefined;
}

function FiredRun({ path, fired: { runId, status: first }, projectName }: FiredRunProps) {
  const { data: list } = useQuery(runsQuery(path, 1));
  const listed = list?.runs.find(({ id }) => id === runId);
  // The first page of the list may be too short for all projects of a cron.
  const isLeftOut = list !== undefined && !listed && list.total >= runsPage;
  const { data: run } = useQuery({ ...openingRunQuery({ ...path, runId }), enabled: isLeftOut });
  const status = listed?.status ?? run?.status ?? first;
  const mark = status === "queued" ? "starting" : markRun(status);
  return (
    <li className={`flex flex-wrap items-center gap-x-3 rounded-block px-4 py-2 ${tintMark(mark)}`}>
      <StateMark mark={mark} />
      <Name className="min-w-0 truncate">{projectName}</Name>
      {/* A run that is queued cannot be read before its fire has opened it. */}
      {status !== "queued" && (
        <Link
          to="/crons/$cron/runs/$run"
          params={{ cron: path.cronId, run: runId }}
          search={{ workspace: path.workspaceId }}
          className="font-medium text-accent underline underline-offset-2"
        >
          Open the run
        </Link>
      )}
    </li>
  );
}
