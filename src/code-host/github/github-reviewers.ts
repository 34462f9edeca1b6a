// The reviewers of a pull request at GitHub, and the accounts that can review.
import { isRefusal, type Refusal } from "../../rules/refusal.ts";
import type { Reviewer } from "../code-host.ts";
import { type CallGithub, readPages } from "./call.ts";

interface RequestedReviewers {
  users: Reviewer[];
}

/** Lists all accounts with access to the repository. GitHub accepts no other reviewers. */
export async function listReviewerCandidates(
  call: CallGithub,
  repository: string,
  signal: AbortSignal,
): Promise<Reviewer[] | Refusal> {
  const people = (answer: Reviewer[]) => answer.map(({ login }) => ({ login }));
  return await readPages(call, `/repos/${repository}/collaborators`, people, signal);
}

/** Requests the reviews that are missing, then withdraws all others. Logins are compared ignoring case, as GitHub does. */
export async function setReviewers(
  call: CallGithub,
  { repository, number, logins }: { repository: string; number: number; logins: string[] },
  signal: AbortSignal,
): Promise<Refusal | null> {
  const path = `/repos/${repository}/pulls/${number}/requested_reviewers`;
  const asked = await call<RequestedReviewers>({ method: "GET", path }, signal);
  if (isRefusal(asked)) return asked;
  const before = asked.users.map(({ login }) => login);
  for (const [method, reviewers] of [
    ["POST", without(logins, before)],
    ["DELETE", without(before, logins)],
  ] as const) {
    if (reviewers.length === 0) continue;
    const answer = await call({ method, path, body: { reviewers } }, signal);
    if (isRefusal(answer)) return answer;
  }
  return null;
}

function without(logins: string[], others: string[]): string[] {
  const known = new Set(others.map((login) => login.toLowerCase()));
  return logins.filter((login) => !known.has(login.toLowerCase()));
}
