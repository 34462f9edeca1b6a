// One turn: what was asked, what the agent did, and how it ended. An older one is one line.

import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { memo, useCallback, useMemo, useState } from "react";
import { CopyId } from "../ui/copy-id.tsx";
import { dropProgramAdvice } from "../ui/sentence.ts";
import { markOf, StateMark } from "../ui/state-mark.tsx";
import { formatDuration, useNow } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { AnyRow } from "./any-row.tsx";
import { Plan } from "./blocks.tsx";
import { describeBoot, takeSetupLines } from "./boot.ts";
import { formatCount, formatSteps, listFootParts, measureTurn } from "./foot.ts";
import { Message } from "./message.tsx";
import { NearRows } from "./near-rows.tsx";
import { PrintedLines } from "./printed-lines.tsx";
import { cutRows, findFailedTool, listRows, type Row } from "./rows.ts";
import { SilenceLine } from "./silence-line.tsx";
import { isWorking, type Job, readBeginning, type Turn } from "./turns.ts";
import { useConversation } from "./use-conversation.ts";
import { useNear } from "./use-near.ts";

/** How many rows of a long turn are drawn at first, and how many more at each asking. */
const shownRows = 120;

/** How many turns at the end are drawn immediately. */
const newestTurns = 20;

/** Rows of one line; others have more air around them. */
const lines = new Set<Row["kind"]>(["tool", "fold"]);

interface TurnCardProps {
  turn: Turn;
  job: Job | null;
  model: string | null;
  isNewest: boolean;
  isOpen: boolean;
  position: number;
  setSize: number;
  onToggle: (jobId: string, isOpen: boolean) => void;
}

export const TurnCard = memo(function TurnCard(props: TurnCardProps) {
  const { turn, job, isNewest, isOpen, position, setSize, onToggle } = props;
  const number = job ? `Turn ${job.jobNumber}` : "A turn";
  const { place, isNear, height } = useNear<HTMLElement>(turn.jobId, position > setSize - newestTurns, 46);
  const isDrawn = isNear || isOpen || isNewest;
  return (
    <article
      ref={place}
      aria-posinset={position}
      aria-setsize={setSize}
      aria-label={number}
      tabIndex={-1}
      data-turn={turn.jobId}
      {...(isDrawn ? {} : { "data-place": "", style: { height } })}
      className={`${isDrawn ? "" : "overflow-hidden px-4 text-quiet"} scroll-mt-4 rounded-card border border-line bg-panel focus-visible:outline-2 focus-visible:outline-accent ${isNewest ? "" : "[contain-intrinsic-size:auto_46px] [content-visibility:auto]"}`}
    >
      <h2 className="sr-only">{number}</h2>
      {!isDrawn && readBeginning(turn)}
      {isDrawn && !isNewest && <FoldLine {...props} onToggle={() => onToggle(turn.jobId, !isOpen)} />}
      {isOpen && (
        <div className={isNewest ? "" : "border-line border-t"}>
          <OpenTurn {...props} />
        </div>
      )}
    </article>
  );
});

/** A question of an older turn has its answer: the message after it. */
const markTurn = (job: Job, isNewest: boolean) =>
  job.status === "awaiting_response" && !isNewest ? "answered" : markOf(job);

function FoldLine({
  turn,
  job,
  isNewest,
  isOpen,
  onToggle,
}: Omit<TurnCardProps, "onToggle"> & { onToggle: () => void }) {
  const steps = formatSteps(turn.messages);
  const parts = listFootParts(job && { ...job, usage: null }, steps, null, 0);
  return (
    <button
      type="button"
      data-place
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex min-h-11 w-full min-w-0 items-center gap-2 rounded-card px-4 text-ui -outline-offset-2 hover:bg-sunk/40"
    >
      <ChevronRight
        aria-hidden="true"
        className={`-ms-1 size-4 shrink-0 text-quiet ${isOpen ? "rotate-90" : "rtl:rotate-180"}`}
      />
      <Name className={`min-w-0 flex-1 truncate text-start ${isOpen ? "text-quiet" : ""}`}>
        {isOpen && job ? `Turn ${job.jobNumber}` : readBeginning(turn)}
      </Name>
      <span className="shrink-0 text-meta text-quiet tabular-nums max-sm:hidden">{parts.join(" · ")}</span>
      {job && (
        <span className="shrink-0 text-meta">
          <StateMark mark={markTurn(job, isNewest)} hasWord={job.status !== "completed"} />
        </span>
      )}
    </button>
  );
}

function OpenTurn({ turn, job, model, isNewest }: TurnCardProps) {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const [limit, setLimit] = useState(shownRows);
  const { holdPlace } = useConversation();
  const keep = useCallback((key: string) => setKept((before) => new Set([...before, key])), []);
  const begin = turn.messages.find(({ delivery, role }) => role === "user" && delivery === "job");
  const all = useMemo(() => listRows(turn.messages, kept), [turn.messages, kept]);
  const failed = useMemo(() => (job?.status === "failed" ? findFailedTool(all) : null), [all, job?.status]);
  const works = isNewest && isWorking(job);
  const plan = works ? all.find((row) => row.kind === "plan") : undefined;
  const { hidden, rows } = cutRows(plan ? all.filter((row) => row !== plan) : all, limit);
  const last = rows.at(-1);
  return (
    <>
      {begin && (
        <div className="px-4 py-3">
          <Message message={begin} />
        </div>
      )}
      <div className={`flex flex-col gap-1 px-4 py-3 ${begin ? "border-line border-t" : ""} empty:hidden`}>
        {hidden > 0 && (
          <button
            type="button"
            data-hidden-rows
            onClick={() => {
              holdPlace();
              setLimit(limit + 2 * shownRows);
            }}
            className="self-center text-meta text-quiet underline decoration-dotted underline-offset-2 hover:text-ink pointer-coarse:min-h-11"
          >
            Show {formatCount(Math.min(hidden, 2 * shownRows), "earlier row")} of {hidden.toLocaleString("en")}
          </button>
        )}
        <NearRows rows={rows}>
          {(row) => (
            <div
              key={row.key}
              data-place
              className={`${lines.has(row.kind) ? "" : "py-1"} -mx-2 min-w-0 px-2 [contain-intrinsic-size:auto_32px] [content-visibility:auto]`}
            >
              <AnyRow
                row={row}
                jobId={turn.jobId}
                isGrowing={works && row === last}
                isFailed={row.key === failed}
                onOpen={keep}
              />
            </div>
          )}
        </NearRows>
        {job && <Ending job={job} isEmpty={rows.length === 0} />}
        {works && job?.status === "running" && <SilenceLine job={job} messages={turn.messages} />}
        {plan?.kind === "plan" && <Plan items={plan.items} isPinned />}
      </div>
      <Foot job={job} isNewest={isNewest} steps={formatSteps(turn.messages)} model={isNewest ? model : null} />
    </>
  );
}

/** How the turn ended, where that needs words; or that it starts. */
function Ending({ job, isEmpty }: { job: Job; isEmpty: boolean }) {
  switch (job.status) {
    case "pending":
      return (
        <>
          <Waiting since={job.createdAt}>{describeBoot(job.boot)}</Waiting>
          <PrintedLines>{takeSetupLines(job.boot)}</PrintedLines>
        </>
      );
    case "running":
      return isEmpty ? <Waiting since={job.startedAt ?? job.createdAt}>The agent reads your message</Waiting> : null;
    case "failed":
      return (
        <div className="rounded-block bg-red-tint px-3 py-2.5 text-red-ink text-ui">
          <p dir="auto" className="whitespace-pre-wrap [overflow-wrap:anywhere]">
            {dropProgramAdvice(job.error ?? "The turn failed.")}
          </p>
          <p className="mt-1">
            <CopyId word="Turn" id={job.id} />
          </p>
        </div>
      );
    default:
      return null;
  }
}

function Waiting({ since, children }: { since: string; children: string }) {
  const now = useNow(1_000);
  return (
    <p className="flex items-center gap-2 text-ui text-quiet">
      <span aria-hidden="true" className="lamp text-accent text-meta">
        ●
      </span>
      {children}
      <span className="whitespace-nowrap text-meta tabular-nums">{formatDuration(now - Date.parse(since))}</span>
    </p>
  );
}

interface FootProps {
  job: Job | null;
  isNewest: boolean;
  steps: string | null;
  model: string | null;
}

/** The point comes after a part, because a line that begins with one looks torn off. */
const footPart = "not-last:after:ms-1.5 not-last:after:content-['·']";

function Foot({ job, isNewest, steps, model }: FootProps) {
  const works = isWorking(job);
  const parts = listFootParts(works ? null : job, steps, model, 0);
  if (!job || (parts.length === 0 && !works)) return null;
  return (
    <footer className="flex min-w-0 flex-wrap items-center gap-x-1.5 gap-y-0.5 border-line border-t px-4 py-1.5 text-meta text-quiet tabular-nums">
      <Link
        to="."
        search={(before) => ({ ...before, turn: job.id })}
        title="Link to this turn"
        className="inline-flex min-h-6 items-center hover:text-ink hover:underline"
      >
        Turn {job.jobNumber}
      </Link>
      <span aria-hidden="true">·</span>
      <span className={footPart}>
        <StateMark mark={markTurn(job, isNewest)} />
      </span>
      {works && job.startedAt && <RunningTime job={job} />}
      {parts.map((part) => (
        <span key={part} className={footPart}>
          {part}
        </span>
      ))}
    </footer>
  );
}

function RunningTime({ job }: { job: Job }) {
  const now = useNow(1_000);
  const ms = measureTurn(job, now);
  return ms === null ? null : <span className={footPart}>{formatDuration(ms)}</span>;
}
