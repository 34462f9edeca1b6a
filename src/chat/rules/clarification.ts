// Answers to a clarification (decisions, "Answers to a clarification"). A send chooses options by a
// field, or by a text that consists only of their titles or numbers. Any other text is passed to
// the agent. The tool that asks, `sandbox-program/agent/tools/ask-clarification.ts`, checks the
// questions.
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { ClarificationQuestion } from "./block.ts";
import type { ChosenOption, MessageBody } from "./message.ts";
import type { Turn } from "./turn.ts";

/**
 * An answer in a send: a question and one of its options, each by its exact text or its number from
 * 0.
 */
export interface Answer {
  question: string | number;
  option: string | number;
}

/**
 * The options that a send chooses. Refuses an unknown question or option, and a second answer to a
 * question.
 */
export function toChosenOptions(
  questions: readonly ClarificationQuestion[],
  answers: readonly Answer[],
): ChosenOption[] | Refusal {
  if (answers.length === 0) return [];
  const wrong = (message: string) => refuse("BAD_REQUEST", message, listChoices(questions));
  if (questions.length === 0) return wrong("No clarification waits for an answer. Send the message without answers.");
  const chosen = new Map<number, ChosenOption>();
  for (const [at, answer] of answers.entries()) {
    const place = findPlace(
      answer.question,
      questions.map(({ question }) => question),
    );
    const asked = questions[place];
    if (!asked) return wrong(`answers.${at}.question: is not one of the open questions. See details.`);
    if (chosen.has(place)) return wrong(`answers.${at}.question: is answered already. Answer each question once.`);
    const titles = asked.options.map(({ title }) => title);
    const option = titles[findPlace(answer.option, titles)];
    if (option === undefined) return wrong(`answers.${at}.option: is not among the choices. See details.`);
    chosen.set(place, { question: asked.question, option });
  }
  return questions.flatMap((_, place) => chosen.get(place) ?? []);
}

/** The message with the options that it chooses. */
export function withOptions<Body extends Pick<MessageBody, "context">>(body: Body, answers: ChosenOption[]): Body {
  return answers.length === 0 ? body : { ...body, context: { ...body.context, answers } };
}

/** The valid choices, for the details of a refusal. */
function listChoices(questions: readonly ClarificationQuestion[]) {
  return {
    questions: questions.map(({ question, options }) => ({ question, options: options.map(({ title }) => title) })),
  };
}

/** The index of a choice, by its text or its number from 0; -1 if there is none. */
function findPlace(choice: string | number, texts: readonly string[]): number {
  return typeof choice === "string" ? texts.indexOf(choice) : choice;
}

/** True if the message may answer the turn's questions, because it was written after them. */
export function mayAnswer({ context }: Pick<MessageBody, "context">, asked: Turn | null): asked is Turn {
  return asked?.status === "awaiting_response" && isWrittenAfter({ context }, asked.completedAt ?? 0);
}

/**
 * True if the message was written after the question. A message that was already waiting in Up next
 * is not an answer.
 */
export function isWrittenAfter({ context }: Pick<MessageBody, "context">, askedAt: number): boolean {
  return context.writtenAt === undefined || context.writtenAt >= askedAt;
}

/** The options that a message chooses: by its fields, else by its text. */
export function findChosenOptions(
  questions: readonly ClarificationQuestion[],
  { content, context }: Pick<MessageBody, "content" | "context">,
): ChosenOption[] {
  return context.answers ?? optionsNamed(questions, content);
}

/** Longer texts cannot consist only of titles. */
const charactersRead = 2_000;

/** The options that a text names: one for each question in order, separated by lines or commas. */
function optionsNamed(questions: readonly ClarificationQuestion[], text: string): ChosenOption[] {
  if (text.length > charactersRead) return [];
  const splits = questions.length === 1 ? [[text]] : [text.split("\n"), text.split(/[,;\n]/)];
  for (const split of splits) {
    const parts = split.map((part) => part.trim()).filter((part) => part !== "");
    if (parts.length !== questions.length) continue;
    const named = questions.flatMap(({ question, options }, at) => {
      const titles = options.map(({ title }) => title);
      const option = titles[placeNamed(parts[at] ?? "", titles)];
      return option === undefined ? [] : [{ question, option }];
    });
    if (named.length === questions.length) return named;
  }
  return [];
}

/** The index of an option, by its title in any case or by its number from 1; -1 for other text. */
function placeNamed(part: string, titles: readonly string[]): number {
  const place = titles.findIndex((title) => title.trim().toLowerCase() === part.toLowerCase());
  const [, number] = /^#?([1-9])\.?$/.exec(part) ?? [];
  return place < 0 && number !== undefined ? Number(number) - 1 : place;
}

/** The chosen options as text for the agent; empty if there are none. */
export function formatAnswers(answers: readonly ChosenOption[] = []): string {
  return answers.map(({ question, option }) => `(The user chose “${option}” in answer to: ${question})`).join("\n");
}
