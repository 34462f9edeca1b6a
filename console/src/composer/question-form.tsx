// The questions that an agent asks: options as cards, by click or by digit.

import type { Schemas } from "@switchyard/client";
import type { KeyboardEvent, Ref } from "react";
import { Button } from "../ui/button.tsx";
import { Name, Prose } from "../ui/visible-text.tsx";

interface QuestionFormProps {
  ref?: Ref<HTMLElement>;
  /** Names the turn that asks. */
  jobId: string;
  questions: readonly Schemas["ClarificationQuestion"][];
  /** The option that was picked, by question. */
  picked: Readonly<Record<number, number>>;
  /** True while the answers are being sent. */
  isBusy?: boolean;
  onPick: (question: number, option: number) => void;
  onSend: () => void;
}

export function QuestionForm({ ref, jobId, questions, picked, isBusy = false, onPick, onSend }: QuestionFormProps) {
  function press(event: KeyboardEvent<HTMLElement>): void {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (event.key === "Enter" && target.tagName !== "BUTTON") {
      event.preventDefault();
      onSend();
    }
    const option = "1234".indexOf(event.key);
    if (option < 0 || event.key.length !== 1) return;
    const focused = target.closest<HTMLElement>("[data-question]")?.dataset.question;
    const open = questions.findIndex((_, at) => picked[at] === undefined);
    const question = focused === undefined ? Math.max(0, open) : Number(focused);
    if (option < (questions[question]?.options.length ?? 0)) onPick(question, option);
  }

  const count = questions.filter((_, at) => picked[at] !== undefined).length;
  const isAnswered = count === questions.length;
  return (
    <section
      ref={ref}
      tabIndex={-1}
      aria-label="The agent asks"
      className="max-h-[55vh] overflow-y-auto rounded-card border border-amber-ink/40 bg-panel p-4 focus-within:border-amber-ink focus:outline-2 focus:outline-amber-ink"
      onKeyDown={press}
    >
      {questions.map(({ topic, question, options }, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: a question is named by its place.
          key={at}
          data-question={at}
          className={at > 0 ? "mt-4 border-line border-t pt-4" : ""}
        >
          <legend className={at > 0 ? "float-left w-full" : ""}>
            <span className="text-amber-ink text-meta">
              <span aria-hidden="true">◆ </span>
              <Name>{topic}</Name>
            </span>
            <Prose className="mb-2 block font-medium text-prose [overflow-wrap:anywhere]">{question}</Prose>
          </legend>
          <div className="clear-both grid gap-2 sm:grid-cols-2">
            {options.map(({ title, description, isRecommended }, option) => (
              <label
                key={title}
                className={`flex min-h-11 cursor-pointer gap-3 rounded-block border px-3 py-2 has-focus-visible:outline-2 has-focus-visible:outline-accent ${picked[at] === option ? "border-accent bg-accent-tint" : "border-line-strong/50 hover:bg-sunk"}`}
              >
                <input
                  type="radio"
                  name={`${jobId}-${at}`}
                  className="sr-only"
                  checked={picked[at] === option}
                  onChange={() => onPick(at, option)}
                />
                <span
                  aria-hidden="true"
                  className={`mt-0.5 grid size-5 shrink-0 place-items-center rounded-md border font-sans text-meta ${picked[at] === option ? "border-accent bg-accent text-on-accent" : "border-line-strong/50 text-quiet"}`}
                >
                  {option + 1}
                </span>
                <span className="min-w-0 [overflow-wrap:anywhere]">
                  <Name className="font-medium">{title}</Name>{" "}
                  {isRecommended && <span className="ml-2 text-accent text-meta">recommended</span>}
                  {description && <Prose className="block text-quiet text-ui">{description}</Prose>}
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      <div className="sticky -bottom-4 -mx-4 -mb-4 mt-3 flex items-center justify-between gap-2 bg-panel px-4 py-3">
        <p className="text-meta text-quiet">
          {count > 0 && !isAnswered && (
            <span className="text-ink">
              {count} of {questions.length} answered.{" "}
            </span>
          )}
          <span className="pointer-coarse:hidden">Digits choose, Enter sends. </span>Your own words go in the field
          below.
        </p>
        <Button kind="main" disabled={!isAnswered || isBusy} onClick={onSend}>
          {questions.length > 1 ? "Send answers" : "Send answer"}
        </Button>
      </div>
    </section>
  );
}
