// What a user's answer means to a pull request that waits for it. Whatever it settles counts, and what it leaves open is asked again; it may
// also be something else entirely.
import { placeChosen, tellingWords, turnsRound } from "../chat/answer-words.ts";
import type { ClarificationQuestion } from "../chat/block.ts";
import { type Clarity, leave, namesAsked, questionsOf, type UnclearName } from "./open-question.ts";
import { matchReviewer } from "./reviewer-match.ts";

export interface WishAnswer {
  /** Whom the answer names, and the names that it leaves open. */
  names: string[];
  /** The branch it chooses. */
  base: string | null;
}

type Meaning = { names: string[] } | { base: string };

/** Reads an answer. Null when it does not plainly settle anything that was asked: it may be something else entirely. */
export function readWishAnswer(wish: Clarity, message: string): WishAnswer | null {
  const questions = questionsOf(wish);
  const settled = byPlace(wish, questions, message) ?? byContent(wish, questions, message);
  if (settled === null) return null;
  const answer: WishAnswer = { names: [], base: null };
  for (const [at, { name }] of wish.unclear.entries()) {
    const meaning = at < namesAsked(wish).length ? settled[at] : undefined;
    answer.names.push(...(meaning && "names" in meaning ? meaning.names : [name]));
  }
  for (const meaning of settled) if (meaning && "base" in meaning) answer.base = meaning.base;
  return answer;
}

/** True for an answer that gives the pull request up. */
export function givesUp(wish: Clarity, message: string): boolean {
  const questions = questionsOf(wish);
  if (/^\W*(please\s+)?(do not|don['’]?t) open( it)?\W*$/i.test(message)) return true;
  if (/^\W*(cancel|never ?mind|forget)( it| that)?\W*$/i.test(message)) return true;
  const [only, ...others] = questions;
  const at = only && others.length === 0 ? placeChosen(message, only.options.length) : null;
  return at !== null && only?.options[at]?.title === leave;
}

/** One part for each question, in their order. */
function byPlace(wish: Clarity, questions: ClarificationQuestion[], message: string): Meaning[] | null {
  const splits = questions.length === 1 ? [[message]] : [message.split("\n"), message.split(/[;,\n]/)];
  for (const split of splits) {
    const parts = split.map((part) => part.trim()).filter((part) => part !== "");
    if (parts.length !== questions.length) continue;
    const meanings = parts.map((part, at) => {
      const text = bare(part, questions[at]?.topic ?? "");
      const name = namesAsked(wish)[at];
      return name === undefined ? branchMeant(wish, text) : namesMeant(name, text);
    });
    if (meanings.every((meaning) => meaning !== null)) return meanings;
  }
  return null;
}

/** The questions that some part can only be the answer to; null where a part answers none. */
function byContent(wish: Clarity, questions: ClarificationQuestion[], message: string): (Meaning | undefined)[] | null {
  const names = namesAsked(wish);
  const settled: (Meaning | undefined)[] = questions.map(() => undefined);
  if (names.length > 0 && namesNobody(message, names)) return questions.map((_, at) => names[at] && { names: [] });
  if (questions.length === 1) return null;
  for (const part of message.split(/[;,\n]|\s(?:and|&)\s/)) {
    if (tellingWords(part).length === 0) continue;
    const at = questions.findIndex(({ topic }, place) => {
      const [name, text] = [names[place], bare(part.trim(), topic)];
      if (settled[place] !== undefined) return false;
      const isNamed = text !== bare(part.trim(), "");
      const meaning =
        name === undefined
          ? branchMeant(wish, text, { byName: true })
          : isNamed
            ? namesMeant(name, text)
            : (sureName(name, text) ?? nobodyMeant(name, text));
      settled[place] = meaning ?? undefined;
      return meaning !== null;
    });
    if (at < 0) return null;
  }
  return settled.some((meaning) => meaning !== undefined) ? settled : null;
}

/** Without a number or the topic before it, and without quotes around it. */
function bare(part: string, topic: string): string {
  const text = part.replace(/^(\d+[.)]|[-*])\s+/, "");
  const hasTopic = topic !== "" && text.toLowerCase().startsWith(`${topic.toLowerCase()}:`);
  const rest = hasTopic ? text.slice(topic.length + 1) : text;
  return rest
    .trim()
    .replace(/^["“'](.*)["”']$/s, "$1")
    .replace(/[.!]$/, "");
}

/** The branch that is named, or else the option; among other questions its name alone tells that this one is meant. */
function branchMeant({ moved }: Clarity, part: string, { byName = false } = {}): Meaning | null {
  if (moved === null) return null;
  const { from, to } = moved;
  const titles = questionsOf({ logins: [], unclear: [], moved })[0]?.options.map(({ title }) => title) ?? [];
  const exact = [to, from].find((branch, at) => part === branch || part.toLowerCase() === titles[at]?.toLowerCase());
  if (exact !== undefined) return { base: exact };
  if (turnsRound(part)) return null;
  const words = tellingWords(part).filter(
    (word) => !/^(move|moved|merge|merged|into|stay|stays|branch|target)$/i.test(word),
  );
  const named = [to, from].find((branch) => words.length === 1 && words[0]?.toLowerCase() === branch.toLowerCase());
  if (named !== undefined) return { base: named };
  if (byName) return null;
  const place = placeChosen(part, 2);
  if (place !== null) return { base: place === 0 ? to : from };
  if (words.length > 0) return null;
  if (/\bmoved?\b/i.test(part)) return { base: to };
  return /\b(leave|keep|stays?)\b/i.test(part) ? { base: from } : null;
}

const nobodyWords = /^(nobody|no-one|noone|no|none|neither|skip|without|drop|omit|out)$/i;
const aroundNobody = /^(one|them|him|her|they|those|these|any|all|both|either|anyone|anybody|everyone|everybody)$/i;

/** Words that leave the reviewer out who was asked about. */
function namesNobody(part: string, unclear: UnclearName[]): boolean {
  const asked = unclear.map(({ name }) => name.toLowerCase());
  const words = tellingWords(part);
  return (
    words.some((word) => nobodyWords.test(word)) &&
    words.every((word) => nobodyWords.test(word) || aroundNobody.test(word) || asked.includes(word.toLowerCase()))
  );
}

const nobodyMeant = (name: UnclearName, text: string) => (namesNobody(text, [name]) ? { names: [] } : null);

const wordsMax = 6;
const wordsOfNameMax = 3;

/** An option, or a few words that can be names; whether they are, the code host knows. */
function namesMeant(unclear: UnclearName, part: string): Meaning | null {
  const [question] = questionsOf({ logins: [], unclear: [unclear], moved: null });
  const titles = question?.options.map(({ title }) => title) ?? [];
  const nobody = nobodyMeant(unclear, part);
  if (nobody !== null) return nobody;
  const place = placeChosen(part, titles.length);
  if (place !== null) {
    const login = unclear.logins.find((known) => known === titles[place]);
    if (login !== undefined) return { names: [login] };
    return titles[place] === leave ? null : { names: [] };
  }
  const sure = sureName(unclear, part);
  if (sure !== null) return sure;
  if (turnsRound(part)) return null;
  const groups = part.split(/,|\s(?:and|&)\s/i).map((group) => tellingWords(group));
  const words = groups.flat();
  const isShort = part.split(/\s+/).length <= wordsMax || groups.every((group) => group.length <= wordsOfNameMax);
  const couldBeNames =
    isShort &&
    words.length > 0 &&
    words.length <= wordsMax &&
    words.every((word) => /^@?[\p{L}\p{N}._-]+$/u.test(word));
  return couldBeNames ? { names: groups.filter((group) => group.length > 0).map((group) => group.join(" ")) } : null;
}

/** Who among those that may be meant is called so, whatever stands between. */
function sureName({ logins }: UnclearName, part: string): Meaning | null {
  if (turnsRound(part)) return null;
  for (const text of [
    part,
    tellingWords(part)
      .filter((word) => !/^one$/i.test(word))
      .join(" "),
  ]) {
    const match = matchReviewer(
      text,
      logins.map((login) => ({ login })),
    );
    if (match.is === "one") return { names: [match.login] };
  }
  return null;
}
