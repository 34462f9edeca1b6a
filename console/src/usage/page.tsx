// What model calls have used in a workspace, in groups, and the limit of what they may cost.
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { modelsQuery } from "../composer/queries.ts";
import { useTitle } from "../shell/title.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { useNow } from "../ui/time.tsx";
import { useWorkspace } from "../workspace/use-workspace.ts";
import { formatCount, formatNumberOf, formatShortCount, formatUsd } from "./amounts.ts";
import { findDay, findTimeZone } from "./days.ts";
import { Filters } from "./filters.tsx";
import { Plot } from "./plot.tsx";
import { findInterval } from "./points.ts";
import { usageQuery } from "./queries.ts";
import { getTokens, listBars, makeTable, type Sum } from "./report.ts";
import { findDays, formatDays, type Grouping, groupingWords, toTimes } from "./search.ts";
import { SpendLimit } from "./spend-limit.tsx";
import { UsageTable } from "./table.tsx";
import { Timeline } from "./timeline.tsx";

const nouns: Record<Grouping, string> = {
  project: "Project",
  member: "Member",
  model: "Model",
  session: "Session",
  cron: "Cron",
};

export function UsagePage() {
  const { workspace, may } = useWorkspace();
  useTitle(`Usage · ${workspace.name}`);
  const mayChange = may("admin");
  return (
    <div className="@container mt-6">
      <p className="text-quiet">
        {mayChange
          ? "What model calls have used."
          : "What your turns have used. The owner and admins see everybody's turns."}
      </p>
      <Report workspaceId={workspace.id} timezone={workspace.timezone} seesAll={mayChange} />
      <Section
        title="Spend limit"
        text="At the limit, turns that the workspace pays for stop, and no new ones start until the next month begins in UTC or the limit is raised; turns on a member's own subscription continue."
      >
        <SpendLimit workspace={workspace} mayChange={mayChange} />
      </Section>
    </div>
  );
}

interface ReportProps {
  workspaceId: string;
  timezone: string;
  seesAll: boolean;
}

function Report({ workspaceId, timezone, seesAll }: ReportProps) {
  const search = useSearch({ from: "/w/$workspace/usage" });
  const timeZone = findTimeZone(timezone);
  const today = findDay(useNow(60_000), timeZone);
  const days = findDays(search, today);
  const by = search.by ?? "project";
  const interval = findInterval(days);
  const report = useQuery(usageQuery(workspaceId, { ...toTimes(days, timeZone), by, interval }));
  const { data: models } = useQuery({ ...modelsQuery, enabled: by === "model" });
  const nameModel = (id: string) => models?.find(({ value }) => value === id)?.label ?? null;
  const shown = report.data && { ...report.data, table: makeTable(report.data, nameModel) };
  const measure = search.show ?? (report.data && report.data.total.costUsd === null ? "tokens" : "cost");
  const isEmpty = shown?.total.calls === 0;
  return (
    <section aria-label="Report" className="mt-6 rounded-card border border-line bg-panel p-6 max-sm:p-4">
      <Filters search={search} days={days} today={today} measure={measure} seesAll={seesAll} />
      <p className="mt-2 text-meta text-quiet">
        {formatDays(days)}, in the time of {timeZone}
      </p>
      {report.error !== null && (
        <div className="mt-4">
          <Refusal error={report.error}>
            <Button onClick={() => report.refetch()}>Try again</Button>
          </Refusal>
        </div>
      )}
      <div className={`min-h-60 ${report.isPlaceholderData ? "opacity-60" : ""}`} aria-busy={report.isFetching}>
        {shown && <Totals total={shown.total} />}
        {isEmpty && (
          <p className="mt-6 rounded-block border border-line border-dashed p-8 text-center text-quiet">
            No model was called in these days. Choose other days, or start a session.
          </p>
        )}
        {shown && !isEmpty && (
          <>
            {shown.series && shown.series.length > 1 && (
              <div className="mt-8">
                <Timeline
                  points={shown.series.map(({ from, total }) => ({ from, ...total }))}
                  interval={interval}
                  timeZone={timeZone}
                  by={measure}
                />
              </div>
            )}
            <div className="mt-6">
              <Plot
                bars={listBars(shown.table.rows, measure)}
                by={measure}
                label={`${measure === "cost" ? "Cost" : "Tokens"} ${groupingWords[shown.by].toLowerCase()}`}
              />
            </div>
            <div className="mt-6">
              <UsageTable table={shown.table} noun={nouns[shown.by]} />
            </div>
          </>
        )}
      </div>
    </section>
  );
}

function Totals({ total }: { total: Sum }) {
  const parts: [word: string, value: string, more: string][] = [
    ["Cost", formatUsd(total.costUsd), total.costUsd === null ? "nothing to pay" : "on the workspace's credentials"],
    ["Turns", formatCount(total.jobs), formatNumberOf(total.calls, "model call")],
    ["Tokens", formatShortCount(getTokens(total)), `${formatShortCount(total.cachedTokens)} of them cached`],
  ];
  return (
    <dl className="mt-4 grid grid-cols-3 gap-4 max-sm:gap-2">
      {parts.map(([word, value, more]) => (
        <div key={word}>
          <dt className="text-meta text-quiet">{word}</dt>
          <dd className="font-bold text-heading tabular-nums">{value}</dd>
          <dd className="text-meta text-quiet">{more}</dd>
        </div>
      ))}
    </dl>
  );
}
