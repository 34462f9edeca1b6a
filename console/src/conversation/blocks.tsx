// The smaller blocks of an answer: the plan, an artifact, filed sessions, and what was asked.
import type { Schemas } from "@switchyard/client";
import { Link } from "@tanstack/react-router";
import { ArrowRight, FileText, Image, Inbox, MonitorPlay, PenLine } from "lucide-react";
import type { ReactNode } from "react";
import { Name, VisibleText } from "../ui/visible-text.tsx";
import { OpeningLine } from "./tool-line.tsx";
import { useConversation } from "./use-conversation.ts";
import { useKept } from "./use-kept.ts";

const glyphs = {
  completed: { glyph: "✓", word: "done", tone: "text-green-ink" },
  in_progress: { glyph: "●", word: "now", tone: "text-accent" },
  pending: { glyph: "○", word: "to do", tone: "text-quiet" },
};

interface PlanProps {
  items: readonly Schemas["PlanItem"][];
  isPinned: boolean;
  keptAs?: string | null;
}

/** The plan: a line with its progress, and its steps below. Pinned, it starts closed. */
export function Plan({ items, isPinned, keptAs = null }: PlanProps) {
  const [chosen, setChosen] = useKept<boolean | null>(keptAs, null);
  const isOpen = chosen ?? !isPinned;
  const done = items.filter(({ status }) => status === "completed").length;
  const now = items.find(({ status }) => status === "in_progress");
  return (
    <section
      aria-label="Plan"
      data-pinned={isPinned || undefined}
      className={
        isPinned
          ? "sticky bottom-2 z-10 rounded-block border border-line bg-panel px-3 py-0.5 shadow-[0_2px_12px_rgb(0_0_0/0.12)]"
          : "rounded-block border border-line px-3 py-0.5"
      }
    >
      <OpeningLine isOpen={isOpen} onToggle={() => setChosen(!isOpen)}>
        <span className="shrink-0 font-medium">Plan</span>
        <span aria-hidden="true" className="inline-flex shrink-0 gap-0.5">
          {items.length <= 12 &&
            items.map(({ status }, at) => (
              <span
                // biome-ignore lint/suspicious/noArrayIndexKey: a step is named by its place.
                key={at}
                className={`h-2.5 w-1.5 rounded-[2px] ${status === "completed" ? "bg-accent" : status === "in_progress" ? "lamp bg-accent" : "bg-line"}`}
              />
            ))}
        </span>
        <span className="shrink-0 text-meta text-quiet tabular-nums">
          {done} of {items.length}
        </span>
        <Name className="min-w-0 flex-1 truncate text-start text-quiet">{isOpen ? null : now?.title}</Name>
      </OpeningLine>
      {isOpen && (
        <ol className="flex max-h-60 flex-col gap-1 overflow-y-auto pt-0.5 pb-2">
          {items.map(({ title, status }, at) => {
            const { glyph, word, tone } = glyphs[status] ?? glyphs.pending;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a step is named by its place.
              <li key={at} className="flex min-w-0 items-baseline gap-2 text-ui">
                <span aria-hidden="true" className={`w-4 shrink-0 text-meta ${tone}`}>
                  {glyph}
                </span>
                <Name className={`min-w-0 [overflow-wrap:anywhere] ${status === "completed" ? "text-quiet" : ""}`}>
                  {title}
                </Name>
                <span className="sr-only">{word}</span>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}

const kinds: Record<string, { icon: ReactNode; word: string }> = {
  markdown: { icon: <FileText />, word: "Document" },
  html: { icon: <PenLine />, word: "Mockup" },
  image: { icon: <Image />, word: "Image" },
  video: { icon: <MonitorPlay />, word: "Video" },
};
const box =
  "flex min-h-11 w-full min-w-0 items-center gap-2.5 rounded-block border border-line px-3 text-ui -outline-offset-2 hover:border-line-strong hover:bg-sunk/40";

export function Artifact({ artifact: { artifactId, title, kind, version } }: { artifact: Schemas["ArtifactBlock"] }) {
  const { session, onOpenArtifact } = useConversation();
  const { icon, word } = kinds[kind] ?? { icon: <FileText />, word: kind };
  const content = (
    <Box icon={icon} title={title}>
      {word}
      {version > 1 && `, version ${version}`}
    </Box>
  );
  if (onOpenArtifact)
    return (
      <button type="button" onClick={() => onOpenArtifact(artifactId)} className={box}>
        {content}
      </button>
    );
  return (
    <Link
      to="/s/$session"
      params={{ session: session?.id ?? "" }}
      search={{ panel: "artifacts", file: artifactId }}
      className={box}
    >
      {content}
    </Link>
  );
}

export function FiledSessions({ sessions }: { sessions: readonly Schemas["FiledSession"][] }) {
  return (
    <ul className="flex flex-col gap-2">
      {sessions.map(({ sessionId, title }) => (
        <li key={sessionId}>
          <Link to="/s/$session" params={{ session: sessionId }} className={box}>
            <Box icon={<Inbox />} title={title}>
              Filed in the Backlog
            </Box>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Box({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <>
      <span aria-hidden="true" className="shrink-0 text-accent [&>svg]:size-4">
        {icon}
      </span>
      <Name className="min-w-0 flex-1 truncate font-medium">{title}</Name>
      <span className="shrink-0 text-meta text-quiet">{children}</span>
      <ArrowRight className="size-4 shrink-0 text-quiet rtl:rotate-180" aria-hidden="true" />
    </>
  );
}

export function Questions({ questions }: { questions: readonly Schemas["ClarificationQuestion"][] }) {
  return (
    <ul className="flex flex-col gap-2">
      {questions.map(({ question, options }) => (
        <li key={question} className="rounded-block border-amber-ink border-s-[3px] bg-amber-tint px-3 py-2 text-ui">
          <p dir="auto" className="font-medium [overflow-wrap:anywhere]">
            <span aria-hidden="true" className="me-2 text-amber-ink text-meta">
              ◆
            </span>
            <VisibleText>{question}</VisibleText>
          </p>
          <p dir="auto" className="mt-0.5 text-meta text-quiet [overflow-wrap:anywhere]">
            <VisibleText>{options.map(({ title }) => title).join(" · ")}</VisibleText>
          </p>
        </li>
      ))}
    </ul>
  );
}
