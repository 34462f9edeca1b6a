// The head of a session: title, state, branch, pull request and model.
import type { LineState } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { ExternalLink, FolderGit2, GitBranch } from "lucide-react";
import { useModelLabel } from "../conversation/use-model-label.ts";
import { PanelButtons } from "../panel/head-buttons.tsx";
import { countChecks, findWorstOutcome, outcomeMarks, writeChecks } from "../pull-request/review-words.ts";
import { useReview } from "../pull-request/use-review.ts";
import { useIsKeptWaiting } from "../shell/lines.ts";
import { waitsForWindows } from "../shell/words.ts";
import { markOf, StateMark } from "../ui/state-mark.tsx";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import type { LiveSession } from "./live-session.ts";
import { projectsQuery, type Session } from "./queries.ts";

const lineWords: Partial<Record<LineState, string>> = {
  connecting: "connecting…",
  waiting: "connecting again…",
  offline: "offline",
  refused: "not live",
};

export function SessionHead({ session, live }: { session: Session; live: LiveSession }) {
  const { line } = live;
  const { projectId, title, branch, targetBranch, prUrl, prNumber, prState, model, latestChatJob } = session;
  const project = useQuery(projectsQuery).data?.find(({ id }) => id === projectId);
  const modelLabel = useModelLabel(model);
  const { panel } = useSearch({ from: "/s/$session" });
  const isWaiting = useIsKeptWaiting();
  return (
    <header className="border-line border-b px-4 py-3">
      <div className="flex items-center gap-x-3 gap-y-1 max-md:flex-wrap">
        <h1 className="min-w-0 font-bold text-title max-md:flex-1" title={toVisibleName(title)}>
          <Name className="block truncate">{title}</Name>
        </h1>
        <StateMark mark={markOf(latestChatJob)} />
        <span className="flex-1 max-md:hidden" />
        {/* Before the buttons, so that they stay where they are when it leaves. */}
        {isWaiting ? (
          <span className="text-meta text-quiet" title={waitsForWindows}>
            waits for other windows…
          </span>
        ) : (
          line !== null && lineWords[line] && <span className="text-meta text-quiet">{lineWords[line]}</span>
        )}
        <PanelButtons session={session} shown={panel} />
      </div>
      <div className="flex flex-wrap items-center gap-x-4 text-meta text-quiet">
        {project && (
          <Link
            to="/p/$project"
            params={{ project: projectId }}
            className="inline-flex min-h-6 min-w-0 max-w-48 items-center gap-1 hover:text-ink"
          >
            <FolderGit2 className="size-3.5 shrink-0" aria-hidden="true" />
            <Name className="truncate">{project.name}</Name>
          </Link>
        )}
        {branch && (
          <span className="inline-flex min-w-0 items-center gap-1">
            <GitBranch className="size-3.5 shrink-0" aria-hidden="true" />
            <Name className="truncate font-mono">{branch}</Name> → <Name className="font-mono">{targetBranch}</Name>
          </span>
        )}
        {prUrl && (
          <a
            href={prUrl}
            rel="noopener"
            target="_blank"
            className="inline-flex min-h-6 items-center gap-1 hover:text-ink"
          >
            #{prNumber} {prState} <ExternalLink className="size-3" aria-hidden="true" />
          </a>
        )}
        {prUrl && <Checks live={live} />}
        {modelLabel && <Name className="max-md:hidden">{modelLabel}</Name>}
      </div>
    </header>
  );
}

/** What the checks of the pull request say. */
function Checks({ live }: { live: LiveSession }) {
  const counts = countChecks(useReview(live).data?.checks ?? []);
  const worst = findWorstOutcome(counts);
  if (worst === null) return null;
  const [sign, color] = outcomeMarks[worst];
  return (
    <span title="Checks of the pull request" className={color}>
      <span aria-hidden="true">{sign}</span> {writeChecks(counts)}
    </span>
  );
}
