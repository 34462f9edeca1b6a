// The state of a session or a turn: a glyph and a word, so that color is never the only sign.
import type { Schemas } from "@switchyard/client";

const marks = {
  asks: { glyph: "◆", word: "asks you", tone: "text-amber-ink" },
  answered: { glyph: "✓", word: "answered", tone: "text-quiet" },
  failed: { glyph: "✕", word: "failed", tone: "text-red-ink" },
  running: { glyph: "●", word: "running", tone: "text-accent" },
  starting: { glyph: "●", word: "starting", tone: "text-accent" },
  stopped: { glyph: "■", word: "stopped", tone: "text-quiet" },
  done: { glyph: "✓", word: "done", tone: "text-green-ink" },
  checks: { glyph: "✕", word: "checks failed", tone: "text-red-ink" },
  skipped: { glyph: "↷", word: "skipped", tone: "text-quiet" },
  paused: { glyph: "‖", word: "Up next stopped", tone: "text-amber-ink" },
  behind: { glyph: "⇅", word: "behind", tone: "text-amber-ink" },
  backlog: { glyph: "◌", word: "in the Backlog", tone: "text-quiet" },
  idle: { glyph: "○", word: "no turn yet", tone: "text-quiet" },
};

export type Mark = keyof typeof marks;

const byJob: Record<Schemas["JobStatus"], Mark> = {
  pending: "starting",
  running: "running",
  awaiting_response: "asks",
  completed: "done",
  failed: "failed",
  cancelled: "stopped",
};

/** The mark of a turn by its status; of a session without a turn, `idle`. */
export const markOf = (job: { status: Schemas["JobStatus"] } | null): Mark => (job ? byJob[job.status] : "idle");

export function StateMark({ mark, hasWord = true }: { mark: Mark; hasWord?: boolean }) {
  const { glyph, word, tone } = marks[mark];
  const moves = mark === "running" || mark === "starting";
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${tone}`}>
      <span aria-hidden="true" className={`w-3 shrink-0 text-center text-meta ${moves ? "lamp" : ""}`}>
        {glyph}
      </span>
      <span className={hasWord ? "" : "sr-only"}>{word}</span>
    </span>
  );
}
