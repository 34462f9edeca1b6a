// The line of a tool: its state, its name, what it did, and how long it took.
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { type Mark, StateMark } from "../ui/state-mark.tsx";
import { formatDuration, useNow } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import type { Tool } from "./rows.ts";

const marks: Record<Tool["status"], Mark> = {
  running: "running",
  completed: "done",
  failed: "failed",
  cancelled: "stopped",
};

interface LineProps {
  isOpen: boolean;
  onToggle: () => void;
  children: ReactNode;
}

/** A line that opens what is below it. */
export function OpeningLine({ isOpen, onToggle, children }: LineProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="group -mx-2 flex min-h-8 w-[calc(100%+16px)] min-w-0 items-center gap-2 rounded-control px-2 text-ui -outline-offset-2 hover:bg-sunk/60 pointer-coarse:min-h-11"
    >
      {children}
      <ChevronRight
        aria-hidden="true"
        className={`size-4 shrink-0 text-quiet opacity-60 transition-transform duration-[120ms] group-hover:opacity-100 motion-reduce:transition-none ${isOpen ? "rotate-90" : "rtl:rotate-180"}`}
      />
    </button>
  );
}

export function ToolLine({ tool, count }: { tool: Tool; count: ReactNode }) {
  const { name, title, status, startedAt, completedAt } = tool;
  const hasWord = status === "failed" || status === "cancelled";
  return (
    <>
      <span className="inline-flex min-w-4 shrink-0">
        <StateMark mark={marks[status]} hasWord={hasWord} />
      </span>
      <span className="min-w-0 flex-1 truncate text-start">
        <span className="text-quiet">{name}</span>{" "}
        {title !== name && <Name className="font-mono text-code">{title.split("\n", 1)[0]}</Name>}
      </span>
      {count}
      {completedAt === null ? <Running since={startedAt} /> : <Took from={startedAt} to={completedAt} />}
    </>
  );
}

export function Changed({ added, removed }: { added: number; removed: number }) {
  if (added === 0 && removed === 0) return null;
  return (
    <span className="shrink-0 whitespace-nowrap font-mono text-meta tabular-nums">
      {added > 0 && <span className="text-green-ink">+{added}</span>}{" "}
      {removed > 0 && <span className="text-red-ink">−{removed}</span>}
    </span>
  );
}

function Running({ since }: { since: string }) {
  const now = useNow(1_000);
  return <Length ms={now - Date.parse(since)} />;
}

function Took({ from, to }: { from: string; to: string }) {
  const ms = Date.parse(to) - Date.parse(from);
  // Most tools take no time that a person would notice.
  return ms < 1_000 ? null : <Length ms={ms} />;
}

function Length({ ms }: { ms: number }) {
  return <span className="shrink-0 whitespace-nowrap text-meta text-quiet tabular-nums">{formatDuration(ms)}</span>;
}
