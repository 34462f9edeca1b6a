// The flags of `svc:open-pr` (Part 1, "Flags of open-pr"), in every form that people write them:
// `-r a,b`, `-r a b`, `-r=a`, `--reviewers a, b`, `-dr a`. They may be before, after and between
// other text.
import { listWholeNames, reviewerWordsMax } from "./reviewer-match.ts";

export interface OpenPrFlags {
  isDraft: boolean;
  /** Null without the flag. */
  reviewers: string[] | null;
  /** Links. */
  evidence: string[];
  /** The rest. */
  text: string;
}

/** True if the pull request is to be a draft. An open one stays, so the flag is ignored. */
export function isDraftAsked({ isDraft }: Pick<OpenPrFlags, "isDraft">, isOpen: boolean): boolean {
  return isDraft && !isOpen;
}

interface Word {
  text: string;
  /** In quotes: it is not a flag, and its spaces belong to one name. */
  isQuoted: boolean;
  /** True for the first word of a line. */
  beginsLine: boolean;
}

type Taking = "names" | "links" | null;
interface Flag {
  isDraft: boolean;
  takes: Taking;
  /** The value in the same word; null without one. */
  value: string | null;
}

/** Limits of the links, because a pull request's body contains them all. */
const linksMax = 30;
const linkCharactersMax = 2_000;
/** Everything after this many flags or words is text. */
const flagsMax = 100;
const wordsMax = 20_000;
const denied = /^(false|no|0)$/i;
const joining = /^(and|&|\+)$/i;

/**
 * Reads the text after the skill's name. Names may be separated only by spaces, so `isName`
 * distinguishes them from the following text. The first word is always a name, and so is a word
 * that a comma joins to another. Two consecutive words that are not names begin the text. Words
 * without a comma between them are one name if `isWhole` says so.
 */
export function readOpenPrFlags(
  argument: string,
  isName: (word: string) => boolean = () => true,
  isWhole: (words: string) => boolean = () => false,
): OpenPrFlags {
  const { words: all, rest } = parseWords(argument);
  let [namesLeft, flagsLeft] = [reviewerWordsMax, flagsMax];
  const read: OpenPrFlags = { isDraft: false, reviewers: null, evidence: [], text: "" };
  const text: string[] = [];
  for (let at = 0; at < all.length; ) {
    const word = all[at++];
    if (!word) break;
    const flag = word.isQuoted || flagsLeft === 0 ? null : findFlag(word.text);
    if (!word.isQuoted && word.text === "--") {
      for (const behind of all.slice(at)) text.push(behind.text);
      break;
    }
    if (flag === null) {
      text.push(word.text);
      continue;
    }
    flagsLeft -= 1;
    read.isDraft ||= flag.isDraft;
    if (flag.takes === null) continue;
    const own = flag.value === null ? [] : [{ text: flag.value, isQuoted: false, beginsLine: false }];
    const open = [...own, ...untilFlag(all, at, flag.takes === "names" ? namesLeft : all.length)];
    const taken = flag.takes === "names" ? countNames(open, isName) : countLinks(open);
    at += Math.max(taken - own.length, 0);
    const words = open.slice(0, taken);
    if (flag.takes === "names") namesLeft = Math.max(namesLeft - taken, 0);
    const values =
      flag.takes === "names" ? listNames(words, isWhole) : words.flatMap(({ text }) => listEvidenceLinks(text));
    if (flag.takes === "links") read.evidence.push(...values);
    else if (values.length > 0) read.reviewers = [...(read.reviewers ?? []), ...values];
  }
  const links = unique(read.evidence).filter((link) => link.length <= linkCharactersMax);
  const reviewers = read.reviewers && unique(read.reviewers).slice(0, reviewerWordsMax);
  if (rest !== "") text.push(rest);
  return { ...read, reviewers, evidence: links.slice(0, linksMax), text: text.join(" ") };
}

/**
 * Splits a text into words, at spaces or at quotes that open at the start of a word. The label of a
 * Markdown link belongs to the link.
 */
function parseWords(text: string): { words: Word[]; rest: string } {
  const pattern = /(-[\w-]*=)?"([^"]*)"|(-[\w-]*=)?'([^']*)'(?=[\s,]|$)|(?:\[[^[\]\n]*\]\(<?https?:|\S)+/g;
  const words: Word[] = [];
  let end = 0;
  for (const { 0: whole, 1: flagA, 2: double, 3: flagB, 4: single, index } of text.matchAll(pattern)) {
    if (words.length >= wordsMax) return { words, rest: text.slice(index) };
    const beginsLine = text.slice(end, index).includes("\n");
    end = index + whole.length;
    const [flag, quoted] = [flagA ?? flagB, double ?? single];
    if (quoted === undefined) words.push({ text: whole, isQuoted: false, beginsLine });
    else {
      if (flag !== undefined) words.push({ text: flag.slice(0, -1), isQuoted: false, beginsLine });
      words.push({ text: quoted, isQuoted: true, beginsLine: beginsLine && flag === undefined });
    }
  }
  return { words, rest: "" };
}

/** The flag in a word; null for text. Some keyboards turn two hyphens into one dash. */
function findFlag(written: string): Flag | null {
  if (!"-—–".includes(written.charAt(0))) return null;
  const word = written.replace(/^[—–](?=[a-z])/i, "--");
  const [, name = "", value = null] = /^--([a-z]+)(?:=(.*))?$/i.exec(word) ?? [];
  switch (name.toLowerCase()) {
    case "draft":
      return { isDraft: !denied.test(value ?? ""), takes: null, value: null };
    case "reviewer":
    case "reviewers":
      return { isDraft: false, takes: "names", value };
    case "evidence":
      return { isDraft: false, takes: "links", value };
  }
  return findCluster(word);
}

/** Short flags, combined or with a value attached: `-d`, `-dr`, `-r=a`, `-ra`. */
function findCluster(word: string): Flag | null {
  const [, letters = "", equals, rest = ""] = /^-([dre]+)(=)?(.*)$/.exec(word) ?? [];
  if (letters === "") return null;
  const isDraft = letters.includes("d");
  const last = letters.at(-1);
  if (rest !== "" && equals === undefined && !/^d*[re]/.test(letters)) return null;
  if (last === "d" && (rest === "" || equals !== undefined) && !/[re]/.test(letters))
    return { isDraft: !denied.test(rest), takes: null, value: null };
  // If other text follows the letters directly, it is the value of the first letter that takes one.
  if (rest !== "" && equals === undefined) {
    const at = letters.search(/[re]/);
    const value = letters.slice(at + 1) + rest;
    return { isDraft: letters.slice(0, at).includes("d"), takes: letters[at] === "r" ? "names" : "links", value };
  }
  const taker = [...letters].findLast((letter) => letter !== "d");
  return { isDraft, takes: taker === "r" ? "names" : "links", value: equals === undefined ? null : rest };
}

/** The words from a position to the next flag, at most this many. */
function untilFlag(words: Word[], from: number, most: number): Word[] {
  const isFlag = ({ text, isQuoted }: Word) => !isQuoted && (text === "--" || findFlag(text) !== null);
  let end = from;
  for (let word = words[end]; word && end < from + most && !isFlag(word); word = words[end]) end++;
  return words.slice(from, end);
}

/** The number of leading words that are names. */
function countNames(words: Word[], isName: (word: string) => boolean): number {
  const isSure = (at: number): boolean => {
    const [before, word] = [words[at - 1], words[at]];
    if (!word) return false;
    if (at === 0 || word.isQuoted || /^,/.test(word.text) || /,$/.test(before?.text ?? "") || /,./.test(word.text))
      return true;
    if (joining.test(word.text)) return isSure(at + 1);
    return listNamesInWord(word).every(isName);
  };
  let count = 0;
  for (let at = 0; at < words.length; at++) {
    if (at > 0 && words[at]?.beginsLine && !/,$/.test(words[at - 1]?.text ?? "")) break;
    if (isSure(at)) count = at + 1;
    else if (at + 1 < words.length && !words[at + 1]?.beginsLine && !isSure(at + 1)) break;
    else count = at + 1;
  }
  return count;
}

function countLinks(words: Word[]): number {
  const end = words.findIndex(
    (word) => !(listEvidenceLinks(word.text).length > 0 || /^[,;]*$/.test(word.text) || joining.test(word.text)),
  );
  return end < 0 ? words.length : end;
}

function listNamesInWord({ text, isQuoted }: Word): string[] {
  const names = isQuoted && !text.includes(",") ? [text] : text.split(",");
  return names.map((name) => name.trim().replace(/^@/, "")).filter((name) => name !== "" && !joining.test(name));
}

/** The names in the words. Several words may be one name. */
function listNames(words: Word[], isWhole: (words: string) => boolean): string[] {
  const runs: string[][] = [];
  let isOpen = false;
  for (const word of words) {
    const names = listNamesInWord(word);
    const goesOn = isOpen && !word.isQuoted && !word.beginsLine && !/^,/.test(word.text);
    for (const [at, name] of names.entries()) {
      if (at === 0 && goesOn) runs.at(-1)?.push(name);
      else runs.push([name]);
    }
    isOpen = names.length > 0 && !word.isQuoted && !/,$/.test(word.text);
  }
  return runs.flatMap((run) => listWholeNames(run, isWhole));
}

function unique(values: string[]): string[] {
  return [...new Set(values)];
}

const link = /^https?:\/\/[^\s<>]+$/i;
const withWords = /!?\[[^[\]]*\]\(<?(https?:\/\/(?:(?!\]\()[^\s<>])*?)>?\)(?=[\s,;.]|!?\[|$)/gi;
const inBrackets = /<(https?:\/\/[^\s<>]+)>/gi;

/**
 * The links after `--evidence` (Part 1, "Flags of open-pr"): bare, in angle brackets, or Markdown
 * links. No pattern looks past the start of the next link, so reading takes linear time. The links
 * of a text. A comma may be part of a link, but not at its end or before another link.
 */
export function listEvidenceLinks(text: string): string[] {
  return text
    .replace(withWords, " $1 ")
    .replace(inBrackets, " $1 ")
    .split(/[,;]\s*(?=https?:\/\/)|\s+/i)
    .map(withoutEnd)
    .filter((part) => link.test(part));
}

/** Strips the commas at the end. */
function withoutEnd(part: string): string {
  let end = part.length;
  while (end > 0 && ",;".includes(part.charAt(end - 1))) end--;
  return part.slice(0, end);
}
