// A session in the list: how it is, whose it is, its pull request, and what can be done with it.
import { Link } from "@tanstack/react-router";
import { Ellipsis, Play } from "lucide-react";
import { useState } from "react";
import type { Session } from "../session/queries.ts";
import { describeReason, markSession } from "../session/reasons.ts";
import { UnseenMark } from "../session/unseen-mark.tsx";
import { Button } from "../ui/button.tsx";
import { Menu, MenuChoices, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { Ago } from "../ui/time.tsx";
import { changeSession, endSession, startSession } from "./changes.ts";
import { LossDialog } from "./loss-dialog.tsx";
import { isFinal, type Loss, listMoves, priorities } from "./moves.ts";
import { PriorityMark } from "./priority-mark.tsx";
import { statusWords } from "./search.ts";

interface RowProps {
  session: Session;
  /** The name of its project; null where all are of one project. */
  projectName: string | null;
}

type Ending = { status: "completed" | "archived"; loss: Loss };

export function SessionRow({ session, projectName }: RowProps) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [ending, setEnding] = useState<Ending | null>(null);
  const { id, title, status, priority, assignee, prUrl, prNumber, prState, updatedAt } = session;
  const reason = describeReason(session);

  async function act(word: string, doIt: () => Promise<unknown>): Promise<void> {
    setError(null);
    setBusy(word);
    try {
      await doIt();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(null);
    }
  }

  const end = (to: Ending["status"], mayLoseWork: boolean) =>
    act(to === "completed" ? "Completing…" : "Archiving…", async () => {
      const loss = await endSession(session, to, mayLoseWork);
      setEnding(loss && { status: to, loss });
    });
  const move = (to: Session["status"]) => {
    if (to === status) return;
    if (isFinal(to)) end(to, false);
    else act("Moving…", () => changeSession(session, { status: to }));
  };

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
            title={title}
            className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          >
            <bdi>{title}</bdi>
          </Link>
          <span className="flex min-w-0 items-center gap-2 text-meta text-quiet">
            <span className="shrink-0">{busy ?? statusWords[status]}</span>
            {reason && <span className="truncate text-ink">· {reason}</span>}
            {projectName && <bdi className="truncate max-sm:hidden">· {projectName}</bdi>}
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
          <Button
            kind="bare"
            className="relative z-10 max-sm:hidden"
            disabled={busy !== null}
            onClick={() => act("Starting…", () => startSession(session))}
          >
            <Play className="size-3.5" aria-hidden="true" /> Start
          </Button>
        )}
        <UnseenMark session={session} />
        <bdi className="w-32 shrink-0 truncate text-right text-meta text-quiet max-lg:hidden">
          {assignee === null ? "Nobody" : assignee.kind === "member" ? assignee.name : "Switchyard"}
        </bdi>
        <span className="w-24 shrink-0 text-right text-meta text-quiet max-sm:hidden">
          <Ago at={updatedAt} />
        </span>
        <span className="relative z-10 flex shrink-0 items-center gap-1">
          <Menu
            trigger={
              <Button kind="bare" className="w-8 px-0! pointer-coarse:w-11" aria-label="Change or move this session">
                <Ellipsis className="size-4" aria-hidden="true" />
              </Button>
            }
          >
            {status === "backlog" && (
              <>
                <MenuItem onClick={() => act("Starting…", () => startSession(session))}>Start</MenuItem>
                <MenuSeparator />
              </>
            )}
            <MenuChoices
              label="Priority"
              value={priority}
              choices={priorities.map((one) => [one, <PriorityMark key={one} priority={one} hasWord />] as const)}
              onChoose={(to) => to !== priority && act("Saving…", () => changeSession(session, { priority: to }))}
            />
            <MenuSeparator />
            <MenuChoices
              label="Status"
              value={status}
              choices={[status, ...listMoves(status)].map((one) => [one, statusWords[one]] as const)}
              onChoose={move}
            />
          </Menu>
        </span>
      </div>
      {error !== null && (
        <div className="px-4 pb-3">
          <Refusal error={error}>
            <Button onClick={() => setError(null)}>Close</Button>
          </Refusal>
        </div>
      )}
      <LossDialog
        title={title}
        ending={ending}
        onKeep={() => setEnding(null)}
        onEnd={() => {
          setEnding(null);
          if (ending) end(ending.status, true);
        }}
      />
    </li>
  );
}
