// Answers to a clarification (decisions, "Answers to a clarification"): options of its questions, chosen by a field of the send, or by a text that
// is nothing but their titles or numbers. Any other text is the agent's to read.
import { type Refusal, refuse } from "../refusal.ts";
import type { ClarificationQuestion } from "./block.ts";
import type { ChosenOption, MessageBody } from "./message.ts";
import type { Turn } from "./turn.ts";

/** What a send chooses: a question and one of its options, each by its exact text or its number from 0. */
export interface Answer {
  question: string | number;
  option: string | number;
}

/** The options that a send chooses, or why it may not: each stands for one question that waits, and no question is answered twice. */
export function chooseOptions(
  questions: readonly ClarificationQuestion[],
  answers: readonly Answer[],
): ChosenOption[] | Refusal {
  if (answers.length === 0) return [];
  const wrong = (message: string) => refuse("BAD_REQUEST", message, choicesOf(questions));
  if (questions.length === 0) return wrong("No clarification waits for an answer. Send the message without answers.");
  const chosen = new Map<number, ChosenOption>();
  for (const [at, answer] of answers.entries()) {
    const place = placeOf(
      answer.question,
      questions.map(({ question }) => question),
    );
    const asked = questions[place];
    if (!asked) return wrong(`answers.${at}.question: is none of the questions that wait. See details.`);
    if (chosen.has(place)) return wrong(`answers.${at}.question: is answered already. Answer each question once.`);
    const titles = asked.options.map(({ title }) => title);
    const option = titles[placeOf(answer.option, titles)];
    if (option === undefined) return wrong(`answers.${at}.option: is not among the choices. See details.`);
    chosen.set(place, { question: asked.question, option });
  }
  return questions.flatMap((_, place) => chosen.get(place) ?? []);
}

/** What there is to choose from, for a client that chose something else. */
function choicesOf(questions: readonly ClarificationQuestion[]) {
  return {
    questions: questions.map(({ question, options }) => ({ question, options: options.map(({ title }) => title) })),
  };
}

/** The place of a choice, by its text or its number from 0; -1 for what is none. */
function placeOf(choice: string | number, texts: readonly string[]): number {
  return typeof choice === "string" ? texts.indexOf(choice) : choice;
}

/** True for a message that may answer what a turn asked: it was written after that. */
export function mayAnswer({ context }: Pick<MessageBody, "context">, asked: Turn | null): asked is Turn {
  return asked?.status === "awaiting_response" && isWrittenAfter({ context }, asked.completedAt ?? 0);
}

/** True for a message whose text was written after a question: one that has waited Up next since before it answers nothing. */
export function isWrittenAfter({ context }: Pick<MessageBody, "context">, askedAt: number): boolean {
  return context.writtenAt === undefined || context.writtenAt >= askedAt;
}

/** The options that a message chooses: by its fields, else by a text that is nothing else. */
export function optionsChosen(
  questions: readonly ClarificationQuestion[],
  { content, context }: Pick<MessageBody, "content" | "context">,
): ChosenOption[] {
  return context.answers ?? optionsNamed(questions, content);
}

/** No title that is to be written is longer. */
const charactersRead = 2_000;

/** The options that a text names, one for each question in their order, on lines of their own or with commas between. */
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

/** The place of an option by its title in any case, or by its number as people count, from 1; -1 for other words. */
function placeNamed(part: string, titles: readonly string[]): number {
  const place = titles.findIndex((title) => title.trim().toLowerCase() === part.toLowerCase());
  const [, number] = /^#?([1-9])\.?$/.exec(part) ?? [];
  return place < 0 && number !== undefined ? Number(number) - 1 : place;
}

/** What was chosen, as the agent reads it before the message; empty for nothing. */
export function answersInWords(answers: readonly ChosenOption[] = []): string {
  return answers.map(({ question, option }) => `(The user chose “${option}” in answer to: ${question})`).join("\n");
}
