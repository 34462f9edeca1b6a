// A run of a cron: its state and times, its Reply, what it filed and made, and its transcript.

import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Square } from "lucide-react";
import { useCallback } from "react";
import { Markdown } from "../conversation/markdown.tsx";
import { useModelLabel } from "../conversation/use-model-label.ts";
import { useTitle } from "../shell/title.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { RetryOrHome } from "../ui/retry-or-home.tsx";
import { Section } from "../ui/section.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { Ago } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { ArtifactLinks } from "./artifact-list.tsx";
import { FiledSessions } from "./filed-sessions.tsx";
import { type Cron, cronQuery, isOutOfReach, type RunPath, runArtifactsQuery, runQuery } from "./queries.ts";
import { RunArtifact } from "./run-artifact.tsx";
import { RunDiagnostics } from "./run-diagnostics.tsx";
import { RunTranscript } from "./run-transcript.tsx";
import { markRun } from "./run-words.ts";
import { RunTime } from "./runs.tsx";
import { stopRun, useAction, useMayChange } from "./writes.ts";

export function RunPage() {
  const { cron: cronId, run: runId } = useParams({ from: "/crons/$cron/runs/$run" });
  const { workspace } = useSearch({ from: "/crons/$cron/runs/$run" });
  const { data: known, error: cronError } = useQuery(cronQuery(cronId, workspace));
  const path = { workspaceId: known?.workspaceId ?? "", cronId, runId };
  const { data: run, error: runError, refetch } = useQuery({ ...runQuery(path), enabled: known !== undefined });
  useTitle(known ? `Run of ${known.cron.name}` : null);
  const error = cronError ?? runError;
  return (
    <main className="h-full overflow-y-auto" aria-busy={!run && !error}>
      <div className="mx-auto max-w-3xl px-4 pt-6 pb-12">
        <nav aria-label="Where this is" className="flex min-w-0 gap-2 text-meta text-quiet">
          <Link to="/crons" className="shrink-0 hover:text-ink">
            Crons
          </Link>
          <span aria-hidden="true">/</span>
          <Link
            to="/crons/$cron"
            params={{ cron: cronId }}
            search={workspace === undefined ? {} : { workspace }}
            className="min-w-0 hover:text-ink"
          >
            <Name className="block truncate">{known?.cron.name ?? "The cron"}</Name>
          </Link>
        </nav>
        {known && run ? (
          <Known path={path} cron={known.cron} run={run} />
        ) : error ? (
          <>
            <h1 className="mb-3 font-bold text-heading">You cannot open this run</h1>
            <Refusal error={error}>
              <Link to="/crons" className={buttonClass()}>
                To your crons
              </Link>
              <RetryOrHome isClosed={isOutOfReach(error)} onRetry={refetch} />
            </Refusal>
          </>
        ) : null}
      </div>
    </main>
  );
}

function Known({ path, cron, run }: { path: RunPath; cron: Cron; run: Schemas["CronRun"] }) {
  const { artifact = null } = useSearch({ from: "/crons/$cron/runs/$run" });
  const navigate = useNavigate({ from: "/crons/$cron/runs/$run" });
  const mayChange = useMayChange(path.workspaceId, cron.createdBy);
  const model = useModelLabel(run.model);
  const { data: artifacts = [] } = useQuery(runArtifactsQuery(path));
  const { busy, error, act } = useAction();
  const show = useCallback(
    (shown?: string) =>
      navigate({
        search: ({ workspace }) => ({ ...(workspace && { workspace }), ...(shown && { artifact: shown }) }),
        resetScroll: false,
      }),
    [navigate],
  );
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h1 className="font-bold text-heading [overflow-wrap:anywhere]">
            Run in <Name>{run.projectName}</Name>
          </h1>
          <p className="text-quiet">
            <span role="status" className="mr-2">
              <StateMark mark={markRun(run.status)} />
            </span>
            <Ago at={run.createdAt} />
            <RunTime run={run} />
            {model && ` · ${model}`}
          </p>
        </div>
        {run.status === "running" && mayChange && (
          <Button disabled={busy !== null} onClick={() => act("stop", () => stopRun(path))}>
            <Square className="size-3.5" aria-hidden="true" /> {busy ? "Stopping…" : "Stop"}
          </Button>
        )}
      </div>
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error} />
        </div>
      )}
      {run.error !== null && (
        <p className="mt-4 rounded-block bg-red-tint px-4 py-3 text-red-ink [overflow-wrap:anywhere]">{run.error}</p>
      )}
      {run.status === "skipped" && (
        <p className="mt-4 rounded-block bg-sunk px-4 py-3 [overflow-wrap:anywhere]">{run.summary}</p>
      )}
      {run.report && run.status !== "running" && (
        <Section title="Reply" text="The agent's last message.">
          <Markdown text={run.report.reply} />
        </Section>
      )}
      <FiledSessions run={run} />
      {artifacts.length > 0 && (
        <Section title="Artifacts" text="What the run has created for people to look at.">
          <ArtifactLinks path={path} artifacts={artifacts} />
        </Section>
      )}
      <RunTranscript path={path} run={run} onOpenArtifact={show} />
      {mayChange && run.status !== "running" && run.status !== "skipped" && <RunDiagnostics path={path} />}
      <RunArtifact path={path} artifactId={artifact} onClose={() => show()} />
    </>
  );
}
