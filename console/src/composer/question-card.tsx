// The questions that the agent of a session asks, above the composer.
import { useEffect, useRef } from "react";
import type { LiveSession } from "../session/live-session.ts";
import { useFocusKept } from "../ui/use-focus-kept.ts";
import { listAnswers, togglePick } from "./draft.ts";
import { useDraft } from "./draft-box.ts";
import { findField } from "./find-field.ts";
import { QuestionForm } from "./question-form.tsx";
import { useTurn } from "./use-turn.ts";

export function QuestionCard({ live }: { live: LiveSession }) {
  const record = live.state?.session ?? live.session?.data ?? null;
  const { draft, box } = useDraft(record && { projectId: record.projectId, sessionId: record.id });
  const { jobId, phase, questions } = useTurn(live);
  const card = useRef<HTMLElement>(null);
  const focus = useFocusKept("fieldset", findField);
  const isAsked = phase === "asks" && questions.length > 0;

  // Focus goes to a question only when nobody is typing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each turn that asks.
  useEffect(() => {
    const active = document.activeElement;
    const isTyping = active instanceof HTMLTextAreaElement ? active.value !== "" : active instanceof HTMLInputElement;
    const isElsewhere = active instanceof HTMLElement && active.closest("dialog, [role=dialog], aside") !== null;
    if (isAsked && !isTyping && !isElsewhere) card.current?.focus({ preventScroll: true });
  }, [isAsked, jobId]);

  if (!isAsked || !box || !jobId || draft.outgoing.some(({ lines }) => !lines)) return null;
  const picked = draft.picks?.jobId === jobId ? draft.picks.options : {};
  const answers = listAnswers(draft.picks, jobId);
  const isAnswered = questions.every((_, at) => picked[at] !== undefined);
  const pick = (question: number, option: number) =>
    box.change((known) => ({ ...known, picks: togglePick(known.picks, jobId, question, option) }));
  const send = () => isAnswered && box.send({ answers });
  return (
    <div {...focus}>
      <QuestionForm ref={card} jobId={jobId} questions={questions} picked={picked} onPick={pick} onSend={send} />
    </div>
  );
}
