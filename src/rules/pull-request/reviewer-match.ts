// Who a reviewer's name means (Part 1, "Flags of open-pr": matched loosely against code-host logins). The closest kind of likeness that
// anybody has decides; it has to be one person's alone.

export interface ReviewerCandidate {
  login: string;
  /** What people call them, where the code host says it. */
  name?: string | null;
}

export type ReviewerMatch =
  | { is: "one"; login: string }
  /** Several are meant as well as one, or none is and these come closest. */
  | { is: "several" | "none"; logins: string[] };

/** Finds the candidate that a name means. */
export function matchReviewer(written: string, candidates: readonly ReviewerCandidate[]): ReviewerMatch {
  const wanted = plain(written);
  const login = written.trim().replace(/^@/, "").toLowerCase();
  const kinds: ((candidate: ReviewerCandidate) => boolean)[] = [
    (one) => one.login.toLowerCase() === login,
    (one) => plain(one.login) === wanted,
    (one) => plain(one.name ?? "") === wanted,
    (one) => plain(one.login).startsWith(wanted) || namesOf(one).some((name) => name.startsWith(wanted)),
    (one) => plain(one.login).includes(wanted) || plain(one.name ?? "").includes(wanted),
  ];
  for (const isLike of wanted === "" ? [] : kinds) {
    const found = candidates.filter(isLike).map((one) => one.login);
    const [first] = found;
    if (first !== undefined) return found.length === 1 ? { is: "one", login: first } : { is: "several", logins: found };
  }
  return { is: "none", logins: nearest(wanted, candidates) };
}

/** Finds whom words mean that were written as one: one person, or where nobody is called so, each word or whole name another one. */
export function namesInWords(written: string, candidates: readonly ReviewerCandidate[]): string[] {
  const words = written.split(/\s+/).filter((word) => word !== "" && !/^(and|&)$/i.test(word));
  if (words.length < 2 || matchReviewer(written, candidates).is !== "none") return [written];
  const names = wholeNames(words, (text) => isWholeName(text, candidates));
  const isSomebody = (name: string) => matchReviewer(name, candidates).is !== "none";
  const isList = names.every(isSomebody) || names.some((name) => isSurely(name, candidates));
  return isList ? names : [written];
}

/** Words with those that are one name together, the longest name first. */
export function wholeNames(words: readonly string[], isWhole: (words: string) => boolean): string[] {
  const names: string[] = [];
  for (let at = 0; at < words.length; ) {
    let end = words.length;
    while (end > at + 1 && !isWhole(words.slice(at, end).join(" "))) end--;
    names.push(words.slice(at, end).join(" "));
    at = end;
  }
  return names;
}

/** True for several words that are somebody's name together, and not each the login of somebody. */
export function isWholeName(words: string, candidates: readonly ReviewerCandidate[]): boolean {
  const wanted = partsOf(words).join(" ");
  const logins = new Set(candidates.map(({ login }) => login.toLowerCase()));
  if (words.split(/\s+/).every((word) => logins.has(word.replace(/^@/, "").toLowerCase()))) return false;
  return candidates.some(({ login, name }) => [login, name ?? ""].some((known) => partsOf(known).join(" ") === wanted));
}

export interface ReviewerChoice {
  /** Who is certain. */
  logins: string[];
  unclear: { name: string; isShared: boolean; logins: string[] }[];
}

/** Finds whom each name means, and for the others who may be meant. */
export function chooseReviewers(written: readonly string[], candidates: readonly ReviewerCandidate[]): ReviewerChoice {
  const names = [...new Set(written)];
  const choice: ReviewerChoice = { logins: [], unclear: [] };
  // Who is called exactly so is not offered for another name; a looser likeness may be the other name's as well.
  const sure = new Set<string>();
  for (const name of names) {
    const match = matchReviewer(name, candidates);
    if (match.is !== "one") continue;
    if (!choice.logins.includes(match.login)) choice.logins.push(match.login);
    if (isSurely(name, candidates)) sure.add(match.login);
  }
  const others = candidates.filter(({ login }) => !sure.has(login));
  for (const name of names) {
    const match = matchReviewer(name, candidates);
    if (match.is === "several" && !match.logins.every((login) => choice.logins.includes(login))) {
      const logins = match.logins.filter((login) => !sure.has(login));
      choice.unclear.push({ name, isShared: true, logins });
    }
    if (match.is === "none")
      choice.unclear.push({ name, isShared: false, logins: nearest(plain(name), others, choice.logins) });
  }
  return choice;
}

/** True when a name is exactly somebody's. */
function isSurely(name: string, candidates: readonly ReviewerCandidate[]): boolean {
  const wanted = plain(name);
  return wanted !== "" && candidates.some((one) => plain(one.login) === wanted || plain(one.name ?? "") === wanted);
}

/** The parts of a name or login, which people set off in different ways. */
const partsOf = (text: string) =>
  text
    .split(/[\s._-]+/)
    .map(plain)
    .filter((part) => part !== "");

/** Without case, accents and whatever sets words off: `@Ada-Lovelace` and `ada lovelace` are one. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase();
}

function namesOf({ name }: ReviewerCandidate): string[] {
  return (name ?? "").split(/\s+/).map(plain);
}

const nearestMax = 3;

/** By how many pairs of letters they share; who is chosen by another name already has to share some. */
function nearest(wanted: string, candidates: readonly ReviewerCandidate[], chosen: readonly string[] = []): string[] {
  const pairs = (text: string) =>
    new Set(Array.from({ length: Math.max(text.length - 1, 0) }, (_, at) => text.slice(at, at + 2)));
  const asked = pairs(wanted);
  return candidates
    .map((one) => ({
      login: one.login,
      shared: [...pairs(plain(one.login) + plain(one.name ?? ""))].filter((pair) => asked.has(pair)).length,
    }))
    .filter(({ login, shared }) => shared > 0 || !chosen.includes(login))
    .sort((a, b) => b.shared - a.shared || (a.login < b.login ? -1 : 1))
    .slice(0, nearestMax)
    .map(({ login }) => login);
}
