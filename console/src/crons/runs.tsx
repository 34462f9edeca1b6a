// The runs of a cron by page, the newest first.

import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Square } from "lucide-react";
import { measureTurn } from "../conversation/foot.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { Ago, formatDuration, useNow } from "../ui/time.tsx";
import { Name, Prose } from "../ui/visible-text.tsx";
import { type CronPath, runsPage, runsQuery } from "./queries.ts";
import { formatSummary, markRun } from "./run-words.ts";
import { stopRun, useAction } from "./writes.ts";

type Run = Schemas["CronRunRow"];

interface RunsProps {
  path: CronPath;
  page: number;
  mayChange: boolean;
}

export function Runs({ path, page, mayChange }: RunsProps) {
  const { data, error, refetch } = useQuery(runsQuery(path, page));
  const pages = Math.max(1, Math.ceil((data?.total ?? 0) / runsPage));
  const count = data && data.total > 0 && `${data.total} in 90 days, ${data.failed} failed.`;
  return (
    <Section title="Runs" text={count || "Each fire makes a run for each project. Runs are kept for 90 days."}>
      {error && (
        <Refusal error={error}>
          <Button onClick={() => refetch()}>Try again</Button>
        </Refusal>
      )}
      {data?.total === 0 && <p className="text-quiet">It has not run yet. Run it now, or wait for its next fire.</p>}
      <ul aria-busy={!data && !error} className="-mx-2 divide-y divide-line">
        {data?.runs.map((run) => (
          <RunRow key={run.id} path={path} run={run} mayStop={mayChange} />
        ))}
      </ul>
      {(pages > 1 || page > 1) && (
        <nav aria-label="Pages of runs" className="mt-4 flex items-center justify-center gap-3">
          <PageLink path={path} page={page - 1} isThere={page > 1} word="Newer" />
          <span className="text-meta text-quiet tabular-nums">
            {page} of {pages}
          </span>
          <PageLink path={path} page={page + 1} isThere={page < pages} word="Older" />
        </nav>
      )}
    </Section>
  );
}

interface PageLinkProps {
  path: CronPath;
  page: number;
  isThere: boolean;
  word: string;
}

function PageLink({ path: { cronId, workspaceId }, page, isThere, word }: PageLinkProps) {
  if (!isThere) return <Button disabled>{word}</Button>;
  return (
    <Link
      to="/crons/$cron"
      params={{ cron: cronId }}
      search={{ workspace: workspaceId, ...(page > 1 && { page }) }}
      resetScroll={false}
      className={buttonClass()}
    >
      {word}
    </Link>
  );
}

function RunRow({ path, run, mayStop }: { path: CronPath; run: Run; mayStop: boolean }) {
  const { id, projectName, status, summary, error, createdAt } = run;
  const { busy, error: refusal, act } = useAction();
  const said = error ?? (summary && formatSummary(summary));
  return (
    <li>
      <div className="relative flex flex-wrap items-center gap-x-3 gap-y-1 rounded-control px-2 py-2 hover:bg-sunk">
        <span className="w-24 shrink-0">
          <StateMark mark={markRun(status)} />
        </span>
        <span className="min-w-0 flex-1 max-sm:order-last max-sm:basis-full">
          <Link
            to="/crons/$cron/runs/$run"
            params={{ cron: path.cronId, run: id }}
            search={{ workspace: path.workspaceId }}
            data-row
            className="block font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          >
            <Name className="block truncate">{projectName}</Name>
          </Link>
          {said && (
            <Prose className={`block truncate text-meta ${error ? "text-red-ink" : "text-quiet"}`} title={said}>
              {said}
            </Prose>
          )}
        </span>
        {status === "running" && mayStop && (
          <Button
            className="relative z-10"
            disabled={busy !== null}
            onClick={() => act("stop", () => stopRun({ ...path, runId: id }))}
          >
            <Square className="size-3.5" aria-hidden="true" /> {busy ? "Stopping…" : "Stop"}
          </Button>
        )}
        <span className="ml-auto shrink-0 text-right text-meta text-quiet tabular-nums">
          <Ago at={createdAt} />
          <RunTime run={run} />
        </span>
      </div>
      {refusal !== null && <Refusal error={refusal} />}
    </li>
  );
}

/** How long a run took, or takes so far. */
export function RunTime({ run }: { run: Pick<Run, "startedAt" | "completedAt"> }) {
  const now = useNow(run.completedAt === null ? 1_000 : 3_600_000);
  const ms = measureTurn(run, now);
  return ms === null ? null : <> · {formatDuration(ms)}</>;
}
