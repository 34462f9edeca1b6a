// The sessions that a run filed, as links; one of the Backlog can be started here.
import type { Schemas } from "@switchyard/client";
import { Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { queryClient } from "../api.ts";
import { startSession } from "../sessions/changes.ts";
import { statusWords } from "../sessions/search.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import { useAction } from "./writes.ts";

type Run = Pick<Schemas["CronRun"], "id" | "projectId" | "filedSessions">;

export function FiledSessions({ run }: { run: Run }) {
  if (run.filedSessions.length === 0) return null;
  return (
    <Section title="Filed sessions" text="Work that the run found. It waits in the Backlog until a person starts it.">
      <ul className="-mx-2 divide-y divide-line">
        {run.filedSessions.map((session) => (
          <Row key={session.sessionId} run={run} session={session} />
        ))}
      </ul>
    </Section>
  );
}

function Row({ run, session }: { run: Run; session: Run["filedSessions"][number] }) {
  const { sessionId, title, status, awaitingResponse } = session;
  const { busy, error, act } = useAction();
  const start = () =>
    act("start", async () => {
      await startSession({ id: sessionId, projectId: run.projectId });
      await queryClient.invalidateQueries({ queryKey: ["cron-run", run.id] });
    });
  return (
    <li>
      <div className="flex min-h-11 items-center gap-3 px-2 py-1">
        <Link
          to="/s/$session"
          params={{ session: sessionId }}
          data-row
          title={toVisibleName(title)}
          className="min-w-0 flex-1 font-medium hover:underline"
        >
          <Name className="block truncate">{title}</Name>
        </Link>
        <span className={`shrink-0 text-meta ${awaitingResponse ? "text-amber-ink" : "text-quiet"}`}>
          {awaitingResponse ? "waits for an answer" : statusWords[status]}
        </span>
        {status === "backlog" && (
          <Button disabled={busy !== null} onClick={start}>
            <Play className="size-3.5" aria-hidden="true" /> {busy ? "Starting…" : "Start"}
            <span className="sr-only"> {title}</span>
          </Button>
        )}
      </div>
      {error !== null && <Refusal error={error} />}
    </li>
  );
}
