// The code host seam: what the service needs of whatever keeps the repositories: git over HTTP, and the state of pull requests. Both are
// opened by a token of the service's app, or by one that whoever runs the service has set.
import { codeHostAccessObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import type { PullRequestState } from "../rules/session/session.ts";
import { noAccess } from "./github/call.ts";
import { github } from "./github/github.ts";

export interface GitRemote {
  /** The repository's address, without `/info/refs` and its like. */
  url: string;
  /** The value of an Authorization header. */
  authorization: string;
  /** The same with a new token, for one that the code host does not take. */
  renewed?(): Promise<GitRemote | Refusal>;
}

type Access = Pick<
  Env,
  "CODE_HOST_API_URL" | "CODE_HOST_TOKEN" | "CODE_HOST_APP_ID" | "CODE_HOST_APP_PRIVATE_KEY" | "CODE_HOST_ACCESS"
>;

/** Where a repository `owner/name` is served, and what opens it: another token than the code host `refused`. */
export async function gitRemote(
  env: Access & Pick<Env, "CODE_HOST_GIT_URL">,
  repository: string,
  refused?: string,
): Promise<GitRemote | Refusal> {
  const token = await tokenFor(env, repository, refused);
  if (isRefusal(token)) return token;
  const url = `${env.CODE_HOST_GIT_URL}/${repository}.git`;
  const authorization = `Basic ${btoa(`x-access-token:${token}`)}`;
  return { url, authorization, renewed: () => gitRemote(env, repository, token) };
}

/** The token that opens a repository: the app's where one is set up, else the one that is set. */
async function tokenFor(env: Access, repository: string, refused?: string): Promise<string | Refusal> {
  if (hasApp(env)) return await codeHostAccessObject(env, repository).token(repository, refused);
  if (!env.CODE_HOST_TOKEN) return notSetUp;
  return refused === undefined ? env.CODE_HOST_TOKEN : noAccess;
}

function hasApp({ CODE_HOST_APP_ID, CODE_HOST_APP_PRIVATE_KEY }: Access): boolean {
  return Boolean(CODE_HOST_APP_ID && CODE_HOST_APP_PRIVATE_KEY);
}

export interface PullRequest {
  number: number;
  /** Where people read it. */
  url: string;
  state: PullRequestState;
  /** The branch that it is to be merged into. */
  base: string;
  /** The newest commit that it proposes. */
  sha: string;
}

/** What a pull request says. */
export interface PullRequestText {
  title: string;
  body: string;
}

export interface PullRequestWish extends PullRequestText {
  branch: string;
  /** The branch that it is to be merged into. */
  base: string;
  isDraft: boolean;
}

/** How far a branch is from another. */
export interface Comparison {
  /** How many commits of the other it lacks. */
  behindBy: number;
  /** How many of its own the other lacks. */
  aheadBy: number;
}

/** What checks say of a commit: check runs and statuses together. */
export interface Checks {
  /** `none` where nothing checks it; failed as soon as one has. */
  state: "none" | "pending" | "passed" | "failed";
  /** The names of those that failed, and of those that have not ended. */
  failed: string[];
  pending: string[];
}

/** Somebody at the code host. */
export interface Reviewer {
  login: string;
}

/**
 * The pull requests of repositories `owner/name`. One contract holds for every code host: what already is so may be asked for again,
 * an unknown pull request is NOT_FOUND, what its state forbids is BAD_REQUEST, and a host that does not answer is SERVICE_UNAVAILABLE.
 */
export interface CodeHost {
  readPullRequest(repository: string, number: number): Promise<PullRequest | Refusal>;
  /** Opens one. Where the branch has an open one into the same base, that is answered and stays as it is. */
  openPullRequest(repository: string, wish: PullRequestWish): Promise<PullRequest | Refusal>;
  /** Null once it says so; what is left out stays. */
  rewritePullRequest(
    repository: string,
    number: number,
    text: Partial<PullRequestText & { base: string }>,
  ): Promise<Refusal | null>;
  /** Null once it is merged; with a commit, only while that one is its newest. */
  mergePullRequest(repository: string, number: number, sha?: string): Promise<Refusal | null>;
  /** Null once it is ready for review. */
  markReady(repository: string, number: number): Promise<Refusal | null>;
  /** Null once it is a draft. */
  markDraft(repository: string, number: number): Promise<Refusal | null>;
  /** Compares a branch, or a commit, with the branch that it comes from; NOT_FOUND when one of them is not there. */
  compareBranches(repository: string, base: string, branch: string): Promise<Comparison | Refusal>;
  /** Everybody who can be asked to review here. */
  listReviewerCandidates(repository: string): Promise<Reviewer[] | Refusal>;
  /** Null once these people, and nobody else, are asked to review. Teams that are asked stay so. */
  setReviewers(repository: string, number: number, logins: string[]): Promise<Refusal | null>;
  /** Reads the checks of a commit, or of the head of a branch. */
  readChecks(repository: string, ref: string): Promise<Checks | Refusal>;
}

/** The code host that the service's settings name. */
export function codeHost(env: Access): CodeHost {
  if (!hasApp(env) && !env.CODE_HOST_TOKEN) return noCodeHost;
  return github({
    apiUrl: env.CODE_HOST_API_URL,
    tokenFor: (repository, refused) => tokenFor(env, repository, refused),
  });
}

const notSetUp = refuse("SERVICE_UNAVAILABLE", "No code host app is set up.");
const noCodeHost: CodeHost = {
  readPullRequest: async () => notSetUp,
  openPullRequest: async () => notSetUp,
  rewritePullRequest: async () => notSetUp,
  mergePullRequest: async () => notSetUp,
  markReady: async () => notSetUp,
  markDraft: async () => notSetUp,
  compareBranches: async () => notSetUp,
  listReviewerCandidates: async () => notSetUp,
  setReviewers: async () => notSetUp,
  readChecks: async () => notSetUp,
};
