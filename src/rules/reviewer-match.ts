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

/** Finds whom words mean: one person by their whole name, or each word another one. */
export function namesInWords(written: string, candidates: readonly ReviewerCandidate[]): string[] {
  const words = written.split(/\s+/).filter((word) => word !== "");
  return words.length > 1 && matchReviewer(written, candidates).is === "none" ? words : [written];
}

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

/** By how many pairs of letters they share. */
function nearest(wanted: string, candidates: readonly ReviewerCandidate[]): string[] {
  const pairs = (text: string) =>
    new Set(Array.from({ length: Math.max(text.length - 1, 0) }, (_, at) => text.slice(at, at + 2)));
  const asked = pairs(wanted);
  return candidates
    .map((one) => ({
      login: one.login,
      shared: [...pairs(plain(one.login) + plain(one.name ?? ""))].filter((pair) => asked.has(pair)).length,
    }))
    .sort((a, b) => b.shared - a.shared || (a.login < b.login ? -1 : 1))
    .slice(0, nearestMax)
    .map(({ login }) => login);
}
