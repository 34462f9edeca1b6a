// How urgent a session is: three bars, or a sign for what cannot wait.
import type { Session } from "../session/queries.ts";
import { priorityWords } from "./moves.ts";

const filled = { none: 0, low: 1, medium: 2, high: 3 };

export function PriorityMark({ priority, hasWord = false }: { priority: Session["priority"]; hasWord?: boolean }) {
  const word = priorityWords[priority];
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap" title={hasWord ? undefined : word}>
      <svg viewBox="0 0 14 14" className="size-3.5 shrink-0" aria-hidden="true">
        {priority === "urgent" ? (
          <>
            <rect width="14" height="14" rx="3" className="fill-red-ink" />
            <path d="M7 3v5M7 10.6v.4" className="stroke-2 stroke-panel" strokeLinecap="round" />
          </>
        ) : (
          [0, 1, 2].map((bar) => (
            <rect
              key={bar}
              x={1 + bar * 4.5}
              y={8 - bar * 3}
              width="3"
              height={5 + bar * 3}
              rx="1"
              className={bar < filled[priority] ? "fill-quiet" : "fill-line"}
            />
          ))
        )}
      </svg>
      <span className={hasWord ? "" : "sr-only"}>{word}</span>
    </span>
  );
}
