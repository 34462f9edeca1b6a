// The activity feed: what happened in the workspaces of the person, with a line where New ends.

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CheckCheck } from "lucide-react";
import { Fragment, type ReactNode, useState } from "react";
import { projectsQuery } from "../session/queries.ts";
import { workspacesQuery } from "../shell/profile.ts";
import { useTitle } from "../shell/title.ts";
import { Button } from "../ui/button.tsx";
import { NamedOptions, Select } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { Name, Prose } from "../ui/visible-text.tsx";
import { type ActivityEvent, describeSource, findCron, findSeenLine, findTone, groupByDay, type Tone } from "./feed.ts";
import { markSeen, useFeed } from "./queries.ts";
import { type ActivitySearch, describeNothing, isFiltered, mayMarkSeen, readActivitySearch } from "./search.ts";

export function ActivityPage() {
  useTitle("Activity");
  const search = useSearch({ from: "/activity" });
  const navigate = useNavigate({ from: "/activity" });
  const { feed, error, readOlder, isReadingOlder, refetch } = useFeed(search);
  const [refusal, setRefusal] = useState<unknown>(null);
  const events = feed?.events ?? [];
  const seenLine = findSeenLine(events);
  const newest = events[0];
  const hasNew = events.some(({ isNew }) => isNew);
  const markAll = () => {
    setRefusal(null);
    if (newest) markSeen(newest.id, search.workspace).catch(setRefusal);
  };
  return (
    <main className="h-full overflow-y-auto">
      <div className="mx-auto max-w-3xl px-4 pt-6 pb-12">
        <div className="mb-4 flex min-h-9 items-center justify-between gap-4">
          <h1 className="font-bold text-heading">Activity</h1>
          {hasNew && mayMarkSeen(search) && (
            <Button onClick={markAll}>
              <CheckCheck className="size-4" aria-hidden="true" /> Mark as seen
            </Button>
          )}
        </div>
        <Filters search={search} />
        {[error, refusal].map(
          (one, index) =>
            one !== null &&
            one !== undefined && (
              // biome-ignore lint/suspicious/noArrayIndexKey: there are always these two.
              <div key={index} className="mt-4">
                <Refusal error={one}>
                  <Button onClick={() => refetch()}>Try again</Button>
                </Refusal>
              </div>
            ),
        )}
        {feed && events.length === 0 && (
          <div className="mt-4 rounded-card border border-line border-dashed p-8 text-center">
            <p className="text-quiet">{describeNothing(search)}</p>
            {isFiltered(search) && (
              <Button className="mt-3" onClick={() => navigate({ search: {} })}>
                Clear the filters
              </Button>
            )}
          </div>
        )}
        {groupByDay(events, formatDay).map(([day, group]) => (
          <section key={day} className="mt-6">
            <h2 className="px-1 font-bold text-meta text-quiet">{day}</h2>
            <ul className="mt-2 overflow-hidden rounded-card border border-line bg-panel">
              {group.map((event) => (
                <Fragment key={event.id}>
                  {event.id === seenLine && (
                    <li className="flex items-center gap-3 bg-accent-tint px-4 py-1 text-accent text-meta">
                      Seen until here
                    </li>
                  )}
                  <Row event={event} isOfOneProject={search.project !== undefined} />
                </Fragment>
              ))}
            </ul>
          </section>
        ))}
        {feed?.older && (
          <div className="mt-4 text-center">
            <Button onClick={readOlder} disabled={isReadingOlder}>
              {isReadingOlder ? "Reading…" : "Older"}
            </Button>
          </div>
        )}
      </div>
    </main>
  );
}

const tones: Record<Tone, [glyph: string, color: string]> = {
  asks: ["◆", "text-amber-ink"],
  bad: ["✕", "text-red-ink"],
  good: ["✓", "text-green-ink"],
  quiet: ["·", "text-quiet"],
};

function Row({ event, isOfOneProject }: { event: ActivityEvent; isOfOneProject: boolean }) {
  const { text, projectName, workspaceName, isNew, createdAt } = event;
  const [glyph, color] = tones[findTone(event)];
  const helper = describeSource(event);
  const content = (
    <>
      <span aria-hidden="true" className={`w-3 shrink-0 text-center ${color}`}>
        {glyph}
      </span>
      <span className="min-w-0 flex-1">
        {isNew && <span className="sr-only">New: </span>}
        <Prose className={`[overflow-wrap:anywhere] ${isNew ? "font-medium" : "text-quiet"}`}>{text}</Prose>
        {helper && <Name className="text-meta text-quiet">{` · ${helper}`}</Name>}
      </span>
      {!isOfOneProject && (
        <Name className="max-w-40 shrink-0 truncate text-meta text-quiet max-sm:hidden">
          {projectName ?? workspaceName}
        </Name>
      )}
      <span className="w-20 shrink-0 text-right text-meta text-quiet">
        <Ago at={createdAt} />
      </span>
    </>
  );
  return (
    <li className="border-line not-first:border-t">
      <Place event={event}>{content}</Place>
    </li>
  );
}

/** Leads to the session or the cron of an event, where one is left. */
function Place({ event, children }: { event: ActivityEvent; children: ReactNode }) {
  const { workspaceId, chatSessionId, sessionPath } = event;
  const row = "flex min-h-11 items-baseline gap-3 px-4 py-2";
  const link = { className: `${row} -outline-offset-2! hover:bg-sunk`, "data-row": true };
  if (chatSessionId !== null && sessionPath !== null)
    return (
      <Link to="/s/$session" params={{ session: chatSessionId }} {...link}>
        {children}
      </Link>
    );
  const found = findCron(event);
  if (found === null) return <div className={row}>{children}</div>;
  const { cron, run } = found;
  const search = { workspace: workspaceId };
  return run === null ? (
    <Link to="/crons/$cron" params={{ cron }} search={search} {...link}>
      {children}
    </Link>
  ) : (
    <Link to="/crons/$cron/runs/$run" params={{ cron, run }} search={search} {...link}>
      {children}
    </Link>
  );
}

function Filters({ search }: { search: ActivitySearch }) {
  const navigate = useNavigate({ from: "/activity" });
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const { data: projects = [] } = useQuery(projectsQuery);
  const change = (changed: Record<string, string | undefined>) =>
    navigate({ search: (now) => readActivitySearch({ ...now, ...changed }), replace: true });
  const shown = projects.filter(({ orgId }) => search.workspace === undefined || orgId === search.workspace);
  return (
    <div className="flex flex-wrap gap-2">
      <Select
        aria-label="What happened"
        value={search.kind ?? ""}
        onChange={({ target }) => change({ kind: target.value })}
      >
        <option value="">Everything</option>
        <option value="change">What the service saw</option>
        <option value="action">What people did</option>
      </Select>
      {workspaces.length > 1 && (
        <Select
          aria-label="Workspace"
          className="max-w-48"
          value={search.workspace ?? ""}
          onChange={({ target }) => change({ workspace: target.value, project: undefined })}
        >
          <option value="">All workspaces</option>
          <NamedOptions items={workspaces} />
        </Select>
      )}
      {shown.length > 1 && (
        <Select
          aria-label="Project"
          className="max-w-48"
          value={search.project ?? ""}
          onChange={({ target }) => change({ project: target.value })}
        >
          <option value="">All projects</option>
          <NamedOptions items={shown} />
        </Select>
      )}
    </div>
  );
}

const days = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });

function formatDay(at: string): string {
  const day = days.format(new Date(at));
  return day === days.format(new Date()) ? "Today" : day;
}
