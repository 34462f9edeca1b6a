// Finds whom a reviewer's name means (Part 1, "Flags of open-pr": matched loosely against
// code-host logins). The closest kind of match among all candidates decides, and it must match
// only one person; `open-question.ts` asks otherwise. Only the first words of a long text are
// read as names.

/** The most words that are read as names. */
export const reviewerWordsMax = 60;
const nameWordsMax = 6;
const nameCharactersMax = 100;

export interface ReviewerCandidate {
  login: string;
  /** Their full name, if the code host has one. */
  name?: string | null;
}

export type ReviewerMatch =
  | { type: "one"; login: string }
  /** Several match equally well, or none matches and these are the closest. */
  | { type: "several" | "none"; logins: string[] };

/** Finds the candidate that a name means. */
export function findReviewer(written: string, candidates: readonly ReviewerCandidate[]): ReviewerMatch {
  const found = mostAlike(written, candidates);
  const [first] = found;
  if (first === undefined) return { type: "none", logins: nearest(plain(written), candidates) };
  return found.length === 1 ? { type: "one", login: first } : { type: "several", logins: found };
}

/** True for a name that matches one person or several. */
export function isReviewerName(written: string, candidates: readonly ReviewerCandidate[]): boolean {
  return mostAlike(written, candidates).length > 0;
}

/** The logins with the closest kind of match that any candidate has. */
function mostAlike(written: string, candidates: readonly ReviewerCandidate[]): string[] {
  const wanted = plain(written);
  const login = written.trim().replace(/^@/, "").toLowerCase();
  const kinds: ((known: KnownNames) => boolean)[] = [
    (known) => known.login === login,
    (known) => known.plainLogin === wanted,
    (known) => known.plainName === wanted,
    (known) => known.plainLogin.startsWith(wanted) || known.names.some((name) => name.startsWith(wanted)),
    (known) => known.plainLogin.includes(wanted) || known.plainName.includes(wanted),
  ];
  for (const isLike of wanted === "" ? [] : kinds) {
    const found = candidates.filter((one) => isLike(knownNames(one)));
    if (found.length > 0) return found.map((one) => one.login);
  }
  return [];
}

/**
 * The names in a text that was written as one: one person's name, or a list of names if nobody has
 * that name.
 */
export function parseNames(written: string, candidates: readonly ReviewerCandidate[]): string[] {
  const words = written.split(/\s+/, reviewerWordsMax).filter((word) => word !== "" && !/^(and|&)$/i.test(word));
  if (words.length < 2 || isReviewerName(written, candidates)) return [written];
  const names = listWholeNames(words, (text) => isWholeName(text, candidates));
  const isSomebody = (name: string) => isReviewerName(name, candidates);
  const isList = names.every(isSomebody) || names.some((name) => isSurely(name, candidates));
  return isList ? names : [written];
}

/** Joins words that form one name. The longest name wins. */
export function listWholeNames(words: readonly string[], isWhole: (words: string) => boolean): string[] {
  const names: string[] = [];
  for (let at = 0; at < words.length; ) {
    let end = Math.min(words.length, at + nameWordsMax);
    while (end > at + 1 && !isWhole(words.slice(at, end).join(" "))) end--;
    names.push(words.slice(at, end).join(" "));
    at = end;
  }
  return names;
}

/** True for words that together are somebody's name, unless each word is somebody's login. */
export function isWholeName(words: string, candidates: readonly ReviewerCandidate[]): boolean {
  const wanted = toParts(words).join(" ");
  const people = candidates.map(knownNames);
  if (!people.some(({ loginParts, nameParts }) => loginParts === wanted || nameParts === wanted)) return false;
  const logins = new Set(people.map(({ login }) => login));
  return !words.split(/\s+/).every((word) => logins.has(word.replace(/^@/, "").toLowerCase()));
}

export interface ReviewerChoice {
  /** The people who are certain. */
  logins: string[];
  unclear: { name: string; isShared: boolean; logins: string[] }[];
}

/** Finds whom each name means, and the candidates for names that are unclear. */
export function chooseReviewers(written: readonly string[], candidates: readonly ReviewerCandidate[]): ReviewerChoice {
  const names = [...new Set(written)].slice(0, reviewerWordsMax);
  const choice: ReviewerChoice = { logins: [], unclear: [] };
  // A person who was named exactly is not offered for another name. One with a looser match may be.
  const sure = new Set<string>();
  for (const name of names) {
    const match = findReviewer(name, candidates);
    if (match.type !== "one") continue;
    if (!choice.logins.includes(match.login)) choice.logins.push(match.login);
    if (isSurely(name, candidates)) sure.add(match.login);
  }
  const others = candidates.filter(({ login }) => !sure.has(login));
  for (const name of names) {
    const match = findReviewer(name, candidates);
    if (match.type === "several" && !match.logins.every((login) => choice.logins.includes(login))) {
      const logins = match.logins.filter((login) => !sure.has(login));
      choice.unclear.push({ name, isShared: true, logins });
    }
    if (match.type === "none")
      choice.unclear.push({ name, isShared: false, logins: nearest(plain(name), others, choice.logins) });
  }
  return choice;
}

/** True if a name matches somebody exactly. */
function isSurely(name: string, candidates: readonly ReviewerCandidate[]): boolean {
  const wanted = plain(name);
  if (wanted === "") return false;
  return candidates.map(knownNames).some((known) => known.plainLogin === wanted || known.plainName === wanted);
}

/** A candidate's names, prepared for comparison. */
interface KnownNames {
  login: string;
  plainLogin: string;
  plainName: string;
  /** First, middle and last names. */
  names: string[];
  loginParts: string;
  nameParts: string;
  pairs: string[];
}

/** A cache: every written name is compared with all candidates. */
const known = new WeakMap<ReviewerCandidate, KnownNames>();

function knownNames(candidate: ReviewerCandidate): KnownNames {
  const { login, name } = candidate;
  const found = known.get(candidate);
  if (found) return found;
  const [plainLogin, plainName] = [plain(login), plain(name ?? "")];
  const made: KnownNames = {
    login: login.toLowerCase(),
    plainLogin,
    plainName,
    names: (name ?? "").split(/\s+/).map(plain),
    loginParts: toParts(login).join(" "),
    nameParts: toParts(name ?? "").join(" "),
    pairs: [...toPairs(plainLogin + plainName)],
  };
  known.set(candidate, made);
  return made;
}

/** The parts of a name or login, however they are separated. */
const toParts = (text: string) =>
  text
    .slice(0, nameCharactersMax)
    .split(/[\s._-]+/)
    .map(plain)
    .filter((part) => part !== "");

/** Ignores case, accents and separators: `@Ada-Lovelace` and `ada lovelace` are equal. */
function plain(text: string): string {
  return text
    .slice(0, nameCharactersMax)
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase();
}

const toPairs = (text: string) =>
  new Set(Array.from({ length: Math.max(text.length - 1, 0) }, (_, at) => text.slice(at, at + 2)));

const nearestMax = 3;

/**
 * The candidates that share the most pairs of letters. A candidate that another name has already
 * chosen must share at least one.
 */
function nearest(wanted: string, candidates: readonly ReviewerCandidate[], chosen: readonly string[] = []): string[] {
  const asked = toPairs(wanted);
  return candidates
    .map((one) => ({
      login: one.login,
      shared: knownNames(one).pairs.filter((pair) => asked.has(pair)).length,
    }))
    .filter(({ login, shared }) => shared > 0 || !chosen.includes(login))
    .sort((a, b) => b.shared - a.shared || (a.login < b.login ? -1 : 1))
    .slice(0, nearestMax)
    .map(({ login }) => login);
}
