// The open sessions as a board: a column for each status, the most urgent first. A card is dragged
// to the next column, or moved by its menu.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { type DragEvent, useState } from "react";
import { type Session, sessionsQuery } from "../session/queries.ts";
import { describeReason, markSession } from "../session/reasons.ts";
import { UnseenMark } from "../session/unseen-mark.tsx";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import { changeSession, startSession } from "./changes.ts";
import { type Column, canDrop, columns } from "./moves.ts";
import { PriorityMark } from "./priority-mark.tsx";
import { countColumn, type SessionsSearch, statusWords, toColumnFilter, toColumnList } from "./search.ts";
import { SessionMenu, SessionOutcome } from "./session-menu.tsx";
import { useSessionActions } from "./use-session-actions.ts";

interface BoardProps {
  search: SessionsSearch;
  /** The names of the projects by id, where cards say theirs. */
  projectNames: ReadonlyMap<string, string>;
}

export function Board({ search, projectNames }: BoardProps) {
  const [dragged, setDragged] = useState<Session | null>(null);
  const [error, setError] = useState<unknown>(null);

  async function drop(to: Column): Promise<void> {
    setDragged(null);
    if (!dragged || !canDrop(dragged.status, to)) return;
    setError(null);
    await (dragged.status === "backlog" ? startSession(dragged) : changeSession(dragged, { status: to })).catch(
      setError,
    );
  }

  return (
    <>
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error}>
            <Button onClick={() => setError(null)}>Close</Button>
          </Refusal>
        </div>
      )}
      <div className="mt-4 grid items-start gap-4 md:grid-cols-3">
        {columns.map((status) => (
          <BoardColumn
            key={status}
            status={status}
            search={search}
            projectNames={projectNames}
            isOpen={dragged !== null && canDrop(dragged.status, status)}
            onDrag={setDragged}
            onDrop={() => drop(status)}
          />
        ))}
      </div>
    </>
  );
}

interface BoardColumnProps extends BoardProps {
  status: Column;
  /** True while a card is dragged that may be dropped here. */
  isOpen: boolean;
  onDrag: (session: Session | null) => void;
  onDrop: () => void;
}

function BoardColumn({ status, search, projectNames, isOpen, onDrag, onDrop }: BoardColumnProps) {
  const { data: sessions, error } = useQuery(sessionsQuery(toColumnFilter(search, status)));
  const shown = sessions?.filter((session) => session.status === status);
  const { count, isFull } = countColumn(sessions ?? [], status);
  return (
    <section
      aria-label={`${statusWords[status]}, a column`}
      className={`min-w-0 rounded-card border p-2 ${isOpen ? "border-accent border-dashed bg-accent-tint/50" : "border-line bg-sunk/50"}`}
      onDragOver={(event: DragEvent) => isOpen && event.preventDefault()}
      onDrop={(event: DragEvent) => {
        event.preventDefault();
        onDrop();
      }}
    >
      <h2 className="px-2 pt-1 pb-2 font-bold text-meta text-quiet">
        {statusWords[status]} <span className="font-normal tabular-nums">{shown && count}</span>
      </h2>
      {error && <Refusal error={error} />}
      {shown?.length === 0 && <p className="px-2 pb-2 text-meta text-quiet">Nothing here.</p>}
      <ul className="flex flex-col gap-2">
        {shown?.map((session) => (
          <BoardCard
            key={session.id}
            session={session}
            projectName={projectNames.get(session.projectId) ?? null}
            onDrag={onDrag}
          />
        ))}
      </ul>
      {isFull && (
        <Link
          to="/sessions"
          search={toColumnList(search, status)}
          className="mt-2 flex min-h-8 items-center px-2 text-meta text-quiet hover:text-ink pointer-coarse:min-h-11"
        >
          All of them as a list
        </Link>
      )}
    </section>
  );
}

interface BoardCardProps {
  session: Session;
  projectName: string | null;
  onDrag: (session: Session | null) => void;
}

function BoardCard({ session, projectName, onDrag }: BoardCardProps) {
  const actions = useSessionActions(session);
  const { id, title, status, priority, assignee, prNumber } = session;
  const reason = describeReason(session);
  const facts = [
    projectName,
    assignee?.kind === "member" ? assignee.name : null,
    prNumber === null ? null : `#${prNumber}`,
  ].filter((fact) => fact !== null);
  return (
    <li
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = "move";
        onDrag(session);
      }}
      onDragEnd={() => onDrag(null)}
      className="relative rounded-block border border-line bg-panel hover:border-line-strong"
    >
      <div className="flex items-start gap-2 py-2 pr-1 pl-3">
        <span className="pt-1">
          <StateMark mark={markSession(session)} hasWord={false} />
        </span>
        <span className="min-w-0 flex-1 py-0.5">
          <Link
            to="/s/$session"
            params={{ session: id }}
            data-row
            draggable={false}
            title={toVisibleName(title)}
            className="line-clamp-2 font-medium [overflow-wrap:anywhere] after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          >
            <Name>{title}</Name>
          </Link>
          {(actions.busy ?? reason) && <span className="block text-meta">{actions.busy ?? reason}</span>}
          <span className="flex min-w-0 items-center gap-1.5 text-meta text-quiet">
            <PriorityMark priority={priority} />
            <Name className="truncate">{facts.join(" · ")}</Name>
          </span>
        </span>
        <UnseenMark session={session} />
        <span className="relative z-10 flex shrink-0 items-center">
          {status === "backlog" && (
            <Button
              kind="bare"
              className="w-8 px-0! pointer-coarse:w-11"
              aria-label={`Start ${toVisibleName(title)}`}
              title="Start"
              disabled={actions.busy !== null}
              onClick={actions.start}
            >
              <Play className="size-3.5" aria-hidden="true" />
            </Button>
          )}
          <SessionMenu session={session} actions={actions} />
        </span>
      </div>
      <SessionOutcome session={session} actions={actions} />
    </li>
  );
}
