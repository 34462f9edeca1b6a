// GitHub as a code host, through its REST API, and through GraphQL where REST is not enough.

import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import type { PullRequestState } from "../../session/rules/pull-request/state.ts";
import type { CodeHost, PullRequest, Reviewer } from "../code-host.ts";
import { type CallGithub, createGithubCall, readPages, refuseRateLimit } from "./call.ts";
import { getChecksResult, listChecks, listFailedChecks } from "./checks.ts";
import { updateComment, writeComment } from "./comments.ts";
import { hasBranch, listBranches, readAccess, readRepository, withRename } from "./repository.ts";
import { listReviewComments, type ReviewedAnswer, readReview } from "./review.ts";

/** The fields of a REST pull request that are used. */
interface PullRequestAnswer extends ReviewedAnswer {
  node_id: string;
  html_url: string;
  state: "open" | "closed";
  draft?: boolean;
  /** Missing in lists. */
  merged?: boolean;
  merged_by?: { id: number; login: string } | null;
  updated_at: string;
  base: { ref: string; repo?: { id: number } | null };
  head: { ref: string; sha: string; repo?: { id: number } | null };
}

export interface GithubSettings {
  apiUrl: string;
  /** Returns the token for a repository; see `Credential`. */
  tokenFor(repository: string, refused?: string): Promise<string | Refusal>;
  /**
   * Returns the current name of the repository that had this name; null if it is known only by its
   * name.
   */
  nameNow?(repository: string): Promise<string | null>;
  /** The deadline of one method of `CodeHost`, including all of its calls. */
  waitMs?: number;
}

interface ComparisonAnswer {
  base_commit: { sha: string };
  behind_by: number;
  ahead_by: number;
}

interface GraphqlAnswer {
  errors?: { message: string; type?: string }[];
}

const mutations = {
  open: "mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } } }",
  draft: "mutation($id: ID!) { convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } } }",
};
/** The REST API has no reactions to reviews. */
const reaction =
  "mutation($id: ID!) { addReaction(input: { subjectId: $id, content: EYES }) { reaction { content } } }";
const markings = { open: "marked ready for review", draft: "marked as a draft" };

/** How to merge in a repository that allows no merge commits. */
const otherMergeMethods = ["squash", "rebase"];
const isMethodRefused = ({ message }: Refusal) => /merge commits|squash merges/i.test(message);

/** The code host at a GitHub API address. */
export function createGithub(settings: GithubSettings): CodeHost {
  const { apiUrl, tokenFor, nameNow, waitMs = 10_000 } = settings;
  function at(repository: string): CallGithub {
    const call = createGithubCall({ apiUrl, credential: (refused) => tokenFor(repository, refused) });
    return nameNow ? withRename(call, repository, () => nameNow(repository)) : call;
  }

  function find(repository: string, number: number, signal: AbortSignal) {
    return at(repository)<PullRequestAnswer>({ method: "GET", path: `/repos/${repository}/pulls/${number}` }, signal);
  }

  async function compare(repository: string, base: string, branch: string): Promise<ComparisonAnswer | Refusal> {
    const range = [base, branch].map(encodeURIComponent).join("...");
    // The listed commits are not used, so their page is as short as possible.
    const path = `/repos/${repository}/compare/${range}?per_page=1`;
    return await at(repository)<ComparisonAnswer>({ method: "GET", path }, AbortSignal.timeout(waitMs));
  }

  async function findOpen(repository: string, branch: string, signal: AbortSignal) {
    const [owner = ""] = repository.split("/", 1);
    const query = new URLSearchParams({ state: "open", head: `${owner}:${branch}` });
    return await at(repository)<PullRequestAnswer[]>(
      { method: "GET", path: `/repos/${repository}/pulls?${query}` },
      signal,
    );
  }

  async function mark(repository: string, number: number, wanted: "draft" | "open"): Promise<Refusal | null> {
    const signal = AbortSignal.timeout(waitMs);
    const found = await find(repository, number, signal);
    if (isRefusal(found)) return found;
    const state = getPullRequestState(found);
    if (state === wanted) return null;
    if (state === "merged" || state === "closed") return refuseChangeOf(number, state, markings[wanted]);
    const body = { query: mutations[wanted], variables: { id: found.node_id } };
    const answer = await at(repository)<GraphqlAnswer>({ method: "POST", path: "/graphql", body }, signal);
    if (isRefusal(answer)) return answer;
    const [error] = answer.errors ?? [];
    if (!error) return null;
    if (error.type === "RATE_LIMITED") return refuseRateLimit(60_000);
    // GitHub rejects a change that somebody else has already made.
    const now = await find(repository, number, signal);
    if (isRefusal(now)) return now;
    return getPullRequestState(now) === wanted
      ? null
      : refuse("BAD_REQUEST", `The code host refused: ${error.message}`);
  }

  return {
    async readPullRequest(repository, number) {
      const found = await find(repository, number, AbortSignal.timeout(waitMs));
      return isRefusal(found) ? found : toPullRequest(found);
    },
    async readPullRequestHead(repository, number) {
      const found = await find(repository, number, AbortSignal.timeout(waitMs));
      if (isRefusal(found)) return found;
      const { head, base, state } = found;
      // A deleted fork has no repository any longer.
      const isFork = head.repo?.id === undefined || head.repo.id !== base.repo?.id;
      return { branch: head.ref, isFork, isOpen: state === "open" };
    },
    async listChangedFiles(repository, number) {
      const files = (answer: { filename: string; patch?: string }[]) =>
        answer.map(({ filename: path, patch = null }) => ({ path, patch }));
      const path = `/repos/${repository}/pulls/${number}/files`;
      return await readPages(at(repository), path, files, AbortSignal.timeout(waitMs));
    },
    async openPullRequest(repository, { title, body, branch, base, isDraft }) {
      const signal = AbortSignal.timeout(waitMs);
      const draft = { title, body, head: branch, base, draft: isDraft };
      const path = `/repos/${repository}/pulls`;
      const opened = await at(repository)<PullRequestAnswer>({ method: "POST", path, body: draft }, signal);
      if (!isRefusal(opened)) return toPullRequest(opened);
      if (opened.code !== "BAD_REQUEST") return opened;
      // GitHub rejects a second pull request. The first may be somebody else's, or come from an
      // attempt whose response was lost.
      const there = await findOpen(repository, branch, signal);
      if (isRefusal(there)) return there;
      const same = there.find((one) => one.base.ref === base);
      return same ? toPullRequest(same) : opened;
    },
    async updatePullRequest(repository, number, text) {
      const path = `/repos/${repository}/pulls/${number}`;
      const answer = await at(repository)({ method: "PATCH", path, body: text }, AbortSignal.timeout(waitMs));
      return isRefusal(answer) ? answer : null;
    },
    async mergePullRequest(repository, number, sha) {
      const signal = AbortSignal.timeout(waitMs);
      const path = `/repos/${repository}/pulls/${number}/merge`;
      const head = sha === undefined ? {} : { sha };
      const merge = (how: object = {}) => at(repository)({ method: "PUT", path, body: { ...head, ...how } }, signal);
      let answer = await merge();
      for (const merge_method of otherMergeMethods) {
        if (!isRefusal(answer) || !isMethodRefused(answer)) break;
        answer = await merge({ merge_method });
      }
      if (!isRefusal(answer)) return null;
      if (answer.code !== "BAD_REQUEST") return answer;
      const found = await find(repository, number, signal);
      if (isRefusal(found)) return found;
      const state = getPullRequestState(found);
      if (state === "merged") return null;
      return state === "open" ? answer : refuseChangeOf(number, state, "merged");
    },
    markReady: (repository, number) => mark(repository, number, "open"),
    markDraft: (repository, number) => mark(repository, number, "draft"),
    async compareBranches(repository, base, branch) {
      const found = await compare(repository, base, branch);
      return isRefusal(found) ? found : { behindBy: found.behind_by, aheadBy: found.ahead_by };
    },
    async readBranchHead(repository, branch) {
      const found = await compare(repository, branch, branch);
      return isRefusal(found) ? found : found.base_commit.sha;
    },
    listReviewerCandidates: (repository) =>
      listReviewerCandidates(at(repository), repository, AbortSignal.timeout(waitMs)),
    setReviewers: (repository, number, logins) =>
      setReviewers(at(repository), { repository, number, logins }, AbortSignal.timeout(waitMs)),
    async readChecks(repository, ref) {
      const checks = await listChecks(at(repository), repository, ref, AbortSignal.timeout(waitMs));
      return isRefusal(checks) ? checks : getChecksResult(checks);
    },
    listFailedChecks: (repository, sha) =>
      listFailedChecks(at(repository), repository, sha, AbortSignal.timeout(waitMs)),
    listReviewComments: (repository, number, reviewId) =>
      listReviewComments(
        at(repository),
        { path: `/repos/${repository}/pulls/${number}`, reviewId },
        AbortSignal.timeout(waitMs),
      ),
    async readReview(repository, number) {
      const signal = AbortSignal.timeout(waitMs);
      const found = await find(repository, number, signal);
      if (isRefusal(found)) return found;
      const review = await readReview(at(repository), repository, found, signal);
      return isRefusal(review) ? review : { ...toPullRequest(found), ...review };
    },
    async addReaction(repository, nodeId) {
      const body = { query: reaction, variables: { id: nodeId } };
      const answer = await at(repository)<GraphqlAnswer>(
        { method: "POST", path: "/graphql", body },
        AbortSignal.timeout(waitMs),
      );
      if (isRefusal(answer)) return answer;
      const [error] = answer.errors ?? [];
      if (error?.type === "RATE_LIMITED") return refuseRateLimit(60_000);
      return error ? refuse("BAD_REQUEST", `The code host refused: ${error.message}`) : null;
    },
    writeComment: (repository, comment) =>
      writeComment(at(repository), repository, comment, AbortSignal.timeout(waitMs)),
    updateComment: (repository, id, body) =>
      updateComment(at(repository), repository, { id, body }, AbortSignal.timeout(waitMs)),
    listBranches: (repository) => listBranches(at(repository), repository, AbortSignal.timeout(waitMs)),
    readRepository: (repository) => readRepository(at(repository), repository, AbortSignal.timeout(waitMs)),
    hasBranch: (repository, branch) => hasBranch(at(repository), repository, branch, AbortSignal.timeout(waitMs)),
    readAccess: (repository, person) => readAccess(at(repository), repository, person, AbortSignal.timeout(waitMs)),
  };
}

function refuseChangeOf(number: number, state: PullRequestState, change: string): Refusal {
  const shown = state === "draft" ? "a draft" : state;
  return refuse("BAD_REQUEST", `Pull request ${number} is ${shown}. Only an open one can be ${change}.`);
}

function toPullRequest(answer: PullRequestAnswer): PullRequest {
  const { number, html_url: url, base, head, updated_at: updatedAt, merged_by: merger } = answer;
  return {
    number,
    url,
    state: getPullRequestState(answer),
    base: base.ref,
    sha: head.sha,
    changedAt: Date.parse(updatedAt),
    ...(merger ? { mergedBy: { hostUserId: String(merger.id), login: merger.login } } : {}),
  };
}

/** The state of a pull request, from the fields that responses and webhooks share. */
export function getPullRequestState({ merged, state, draft }: Pick<PullRequestAnswer, "merged" | "state" | "draft">) {
  if (merged) return "merged";
  if (state === "closed") return "closed";
  return draft ? "draft" : "open";
}

/** The reviewers of a pull request at GitHub, and the accounts that can review. */
interface RequestedReviewers {
  users: { login: string }[];
}

interface CollaboratorAnswer {
  login: string;
  name?: string | null;
  avatar_url?: string | null;
}

/** Lists all accounts with access to the repository. GitHub accepts no other reviewers. */
async function listReviewerCandidates(
  call: CallGithub,
  repository: string,
  signal: AbortSignal,
): Promise<Reviewer[] | Refusal> {
  const people = (answer: CollaboratorAnswer[]) =>
    answer.map(({ login, name = null, avatar_url: imageUrl = null }) => ({ login, name, imageUrl }));
  return await readPages(call, `/repos/${repository}/collaborators`, people, signal);
}

/**
 * Requests the missing reviews, then withdraws all others. Compares logins case-insensitively, as
 * GitHub does.
 */
async function setReviewers(
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
