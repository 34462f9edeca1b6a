// GitHub as a code host: pull requests over its REST interface, and over GraphQL what REST does not offer.
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import type { PullRequestState } from "../rules/session.ts";
import type { CodeHost, PullRequest } from "./code-host.ts";

export interface GithubSettings {
  apiUrl: string;
  token: string;
  /** How long one question, with all the calls it takes, may last. */
  waitMs?: number;
}

/** What is read of a pull request as REST answers it. */
interface PullRequestAnswer {
  number: number;
  node_id: string;
  html_url: string;
  state: "open" | "closed";
  draft?: boolean;
  merged: boolean;
  base: { ref: string };
}

interface ComparisonAnswer {
  behind_by: number;
  ahead_by: number;
}

interface GraphqlAnswer {
  errors?: { message: string }[];
}

const noAnswer = refuse("SERVICE_UNAVAILABLE", "The code host does not answer. Try again shortly.");
const noAccess = refuse("SERVICE_UNAVAILABLE", "The code host refuses the service's access. Reconnect the repository.");

const mutations = {
  open: "mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } } }",
  draft: "mutation($id: ID!) { convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } } }",
};

/** Speaks to GitHub with a token. */
export function github({ apiUrl, token, waitMs = 10_000 }: GithubSettings): CodeHost {
  async function call<Answer>(method: string, path: string, signal: AbortSignal, body?: unknown) {
    const headers = {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "user-agent": "switchyard",
      "x-github-api-version": "2022-11-28",
    };
    const init = { method, headers, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    try {
      const answer = await fetch(apiUrl + path, init);
      if (answer.ok) return await answer.json<Answer>();
      await answer.body?.cancel();
      return refusalOf(answer.status);
    } catch {
      // Nothing answered, not in time, or not in JSON.
      return noAnswer;
    }
  }

  function find(repository: string, number: number, signal: AbortSignal) {
    return call<PullRequestAnswer>("GET", `/repos/${repository}/pulls/${number}`, signal);
  }

  async function mark(repository: string, number: number, wanted: "draft" | "open"): Promise<Refusal | null> {
    const signal = AbortSignal.timeout(waitMs);
    const found = await find(repository, number, signal);
    if (isRefusal(found)) return found;
    const state = stateOf(found);
    if (state === wanted) return null;
    if (state === "merged" || state === "closed") {
      return refuse(
        "BAD_REQUEST",
        `Pull request ${number} is ${state}. Only an open one can be marked ${words[wanted]}.`,
      );
    }
    const variables = { id: found.node_id };
    const answer = await call<GraphqlAnswer>("POST", "/graphql", signal, { query: mutations[wanted], variables });
    if (isRefusal(answer)) return answer;
    const [error] = answer.errors ?? [];
    if (!error) return null;
    // Somebody else may have been faster.
    const now = await find(repository, number, signal);
    if (isRefusal(now)) return now;
    return stateOf(now) === wanted ? null : refuse("BAD_REQUEST", `The code host refused: ${error.message}`);
  }

  return {
    async readPullRequest(repository, number) {
      const found = await find(repository, number, AbortSignal.timeout(waitMs));
      return isRefusal(found) ? found : pullRequestOf(found);
    },
    markReady: (repository, number) => mark(repository, number, "open"),
    markDraft: (repository, number) => mark(repository, number, "draft"),
    async compareBranches(repository, base, branch) {
      const asked = [base, branch].map(encodeURIComponent).join("...");
      // One commit a page: the numbers are asked for, and not what they count.
      const path = `/repos/${repository}/compare/${asked}?per_page=1`;
      const found = await call<ComparisonAnswer>("GET", path, AbortSignal.timeout(waitMs));
      return isRefusal(found) ? found : { behindBy: found.behind_by, aheadBy: found.ahead_by };
    },
  };
}

const words = { open: "ready for review", draft: "as a draft" };

function pullRequestOf(answer: PullRequestAnswer): PullRequest {
  return { number: answer.number, url: answer.html_url, state: stateOf(answer), base: answer.base.ref };
}

/** The state of a pull request by what GitHub says of one, in answers and in webhooks. */
export function stateOf({
  merged,
  state,
  draft,
}: Pick<PullRequestAnswer, "merged" | "state" | "draft">): PullRequestState {
  if (merged) return "merged";
  if (state === "closed") return "closed";
  return draft ? "draft" : "open";
}

function refusalOf(status: number): Refusal {
  switch (status) {
    case 404:
      return refuse("NOT_FOUND", "The code host has no such pull request or branch.");
    case 401:
    case 403:
      return noAccess;
    default:
      return noAnswer;
  }
}
