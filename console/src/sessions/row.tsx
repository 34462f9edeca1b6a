// A session in the list: how it is, whose it is, its pull request, and what can be done with it.
import { Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import type { Session } from "../session/queries.ts";
import { describeReason, markSession } from "../session/reasons.ts";
import { UnseenMark } from "../session/unseen-mark.tsx";
import { Button } from "../ui/button.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { Ago } from "../ui/time.tsx";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import { PriorityMark } from "./priority-mark.tsx";
import { statusWords } from "./search.ts";
import { SessionMenu, SessionOutcome } from "./session-menu.tsx";
import { useSessionActions } from "./use-session-actions.ts";

interface RowProps {
  session: Session;
  /** The name of its project; null where all are of one project. */
  projectName: string | null;
}

export function SessionRow({ session, projectName }: RowProps) {
  const actions = useSessionActions(session);
  const { busy } = actions;
  const { id, title, status, priority, assignee, prUrl, prNumber, prState, updatedAt } = session;
  const reason = describeReason(session);
  return (
    <li>
      <div className="relative flex min-h-12 items-center gap-3 py-1 pr-2 pl-4 hover:bg-sunk">
        <PriorityMark priority={priority} />
        <StateMark mark={markSession(session)} hasWord={false} />
        <span className="min-w-0 flex-1">
          <Link
            to="/s/$session"
            params={{ session: id }}
            data-row
            title={toVisibleName(title)}
            className="block font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          >
            <Name className="block truncate">{title}</Name>
          </Link>
          <span className="flex min-w-0 items-center gap-1 text-meta text-quiet">
            <span className="shrink-0">{busy ?? statusWords[status]}</span>
            {reason && <span className="truncate text-ink">· {reason}</span>}
            {projectName && <Name className="truncate max-sm:hidden">{`· ${projectName}`}</Name>}
            {prUrl && (
              <a href={prUrl} target="_blank" rel="noopener" className="relative z-10 shrink-0 hover:underline">
                · #{prNumber} {prState}
              </a>
            )}
            <span className="ml-auto shrink-0 sm:hidden">
              <Ago at={updatedAt} />
            </span>
          </span>
        </span>
        {status === "backlog" && (
          <Button kind="bare" className="relative z-10 max-sm:hidden" disabled={busy !== null} onClick={actions.start}>
            <Play className="size-3.5" aria-hidden="true" /> Start
          </Button>
        )}
        <UnseenMark session={session} />
        <Name className="w-32 shrink-0 truncate text-right text-meta text-quiet max-lg:hidden">
          {assignee === null ? "Nobody" : assignee.kind === "member" ? assignee.name : "Switchyard"}
        </Name>
        <span className="w-24 shrink-0 text-right text-meta text-quiet max-sm:hidden">
          <Ago at={updatedAt} />
        </span>
        <span className="relative z-10 flex shrink-0 items-center gap-1">
          <SessionMenu session={session} actions={actions} />
        </span>
      </div>
      <SessionOutcome session={session} actions={actions} />
    </li>
  );
}
