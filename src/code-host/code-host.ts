// The interface to the code host: git over HTTP, and pull requests. Both use a token of the
// service's app, or the token that the operator has configured.

import { getCodeHostTokenObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { isRepositoryName, noRepositoryName, type RepositoryRef } from "../project/rules/repository.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import type { CodeHostAccount, PullRequestState } from "../session/rules/pull-request/state.ts";
import { type AppSettings, type Installation, readInstallation } from "./github/app.ts";
import { noAccess } from "./github/call.ts";
import { createGithub } from "./github/github.ts";
import type { ReviewedPullRequest } from "./rules/review.ts";

export interface GitRemote {
  /** The repository's URL, without a path such as `/info/refs`. */
  url: string;
  /** The value of an Authorization header. */
  authorization: string;
  /**
   * Returns the remote with a new token and the repository's current name. Called once, if the code
   * host rejects or does not find this remote.
   */
  renewed?(): Promise<GitRemote | Refusal>;
}

type CodeHostEnv = AppEnv & Pick<Env, "CODE_HOST_TOKEN" | "CODE_HOST_TOKEN_OBJECT" | "JURISDICTION">;

/** Returns the remote of a repository. */
export async function getGitRemote(env: GitEnv, ref: RepositoryRef): Promise<GitRemote | Refusal> {
  const token = await tokenFor(env, ref);
  if (isRefusal(token)) return token;
  return { ...toRemote(env, ref.repository, token), renewed: () => renewedRemote(env, ref, token) };
}

type GitEnv = CodeHostEnv & Pick<Env, "CODE_HOST_GIT_URL">;

/**
 * `refused` is the token that the code host did not accept, or that did not give access to the
 * repository under its name.
 */
async function renewedRemote(env: GitEnv, ref: RepositoryRef, refused: string): Promise<GitRemote | Refusal> {
  const token = await tokenFor(env, ref, refused);
  return isRefusal(token) ? token : toRemote(env, (await nameNow(env, ref)) ?? ref.repository, token);
}

function toRemote({ CODE_HOST_GIT_URL }: GitEnv, repository: string, token: string): GitRemote {
  return { url: `${CODE_HOST_GIT_URL}/${repository}.git`, authorization: `Basic ${btoa(`x-access-token:${token}`)}` };
}

/** Returns the app's token if an app is configured, otherwise the operator's. */
async function tokenFor(env: CodeHostEnv, ref: RepositoryRef, refused?: string): Promise<string | Refusal> {
  if (!isRepositoryName(ref.repository)) return noRepositoryName;
  if (findApp(env)) return await getCodeHostTokenObject(env, ref).token(onlyRef(ref), refused);
  if (!env.CODE_HOST_TOKEN) return notSetUp;
  return refused === undefined ? env.CODE_HOST_TOKEN : noAccess;
}

/**
 * The current name of a repository that is bound to its id; null for one that is known only by its
 * name.
 */
async function nameNow(env: CodeHostEnv, ref: RepositoryRef): Promise<string | null> {
  return findApp(env) && ref.repositoryId !== null
    ? await getCodeHostTokenObject(env, ref).nameNow(onlyRef(ref))
    : null;
}

/** Drops the other fields of a project, so that an object receives no more than it needs. */
function onlyRef({ repository, installationId, repositoryId }: RepositoryRef): RepositoryRef {
  return { repository, installationId, repositoryId };
}

type AppEnv = Pick<Env, "CODE_HOST_API_URL" | "CODE_HOST_APP_ID" | "CODE_HOST_APP_PRIVATE_KEY">;

/** The service's app at the code host; null if none is configured. */
export function findApp(env: AppEnv): AppSettings | null {
  const { CODE_HOST_API_URL: apiUrl, CODE_HOST_APP_ID: appId, CODE_HOST_APP_PRIVATE_KEY: privateKey } = env;
  return appId && privateKey ? { apiUrl, appId, privateKey } : null;
}

/** Returns the app's installation for a repository; null if the operator's token is used. */
export async function findInstallation(
  env: AppEnv,
  repository: string,
  waitMs?: number,
): Promise<Installation | null | Refusal> {
  const app = findApp(env);
  return app && (await readInstallation({ ...app, ...(waitMs !== undefined && { waitMs }) }, repository));
}

export interface PullRequest {
  number: number;
  /** The URL of the pull request's page. */
  url: string;
  state: PullRequestState;
  /** The branch to merge into. */
  base: string;
  /** Its head commit. */
  sha: string;
  /** The time of the last activity on it. */
  changedAt: number;
  /** The account that merged it, if the code host reports it. */
  mergedBy?: CodeHostAccount;
}

/** The title and the description of a pull request. */
export interface PullRequestText {
  title: string;
  body: string;
}

export interface NewPullRequest extends PullRequestText {
  branch: string;
  /** The branch to merge into. */
  base: string;
  isDraft: boolean;
}

/** The distance of a branch from its base. */
export interface Comparison {
  /** The number of commits of the base that the branch lacks. */
  behindBy: number;
  /** The number of commits of the branch that the base lacks. */
  aheadBy: number;
}

/** The combined result of a commit's check runs and statuses. */
export interface Checks {
  /** `none` if there are no checks; `failed` as soon as one has failed. */
  state: "none" | "pending" | "passed" | "failed";
  /** The names of the checks that failed. */
  failed: string[];
  /** The names of the checks that have not ended. */
  pending: string[];
}

/** A check that failed, with what it reported. */
export interface CheckFailure {
  name: string;
  conclusion: string;
  /** The page of the check; null if it has none. */
  url: string | null;
  /** Its title, its summary and its annotations. */
  text: string;
}

/** The branch that a pull request proposes. */
export interface PullRequestHead {
  branch: string;
  /** True for a branch of another repository. */
  isFork: boolean;
  isOpen: boolean;
}

/** A comment of the service. */
export interface OwnComment {
  number: number;
  body: string;
  /** The login of the service. */
  login: string;
  /** What no other comment of the service there contains. */
  marker: string;
}

/** A file that a pull request changes. */
export interface ChangedFile {
  path: string;
  /** The diff of a text; null for another file. */
  patch: string | null;
}

/** A comment of a review on lines of the change. */
export interface ReviewLineComment {
  path: string;
  side: "old" | "new";
  startLine: number;
  endLine: number;
  body: string;
}

/** A repository as the code host reports it now. */
export interface Repository {
  repositoryId: number;
  /** `owner/name`, in the code host's upper and lower case. */
  repository: string;
  defaultBranch: string;
}

/** A person's access to a repository; `none` if they cannot see it. */
export type RepositoryAccess = "push" | "read" | "none";

/** An account at the code host that can be asked to review. */
export interface Reviewer {
  login: string;
  /** Null if the code host does not say. */
  name: string | null;
  imageUrl: string | null;
}

/**
 * The pull requests of repositories `owner/name`. One contract suite tests every code host. Each
 * call is idempotent. An unknown pull request is NOT_FOUND, a call that its state forbids is
 * BAD_REQUEST, and a host that does not respond is SERVICE_UNAVAILABLE.
 */
export interface CodeHost {
  readPullRequest(repository: string, number: number): Promise<PullRequest | Refusal>;
  /** Reads which branch a pull request proposes. */
  readPullRequestHead(repository: string, number: number): Promise<PullRequestHead | Refusal>;
  /** Lists the files that a pull request changes. */
  listChangedFiles(repository: string, number: number): Promise<ChangedFile[] | Refusal>;
  /**
   * Opens a pull request. If the branch has an open one into the same base, returns that one
   * unchanged.
   */
  openPullRequest(repository: string, draft: NewPullRequest): Promise<PullRequest | Refusal>;
  /** Changes the given fields. Returns null on success. */
  updatePullRequest(
    repository: string,
    number: number,
    text: Partial<PullRequestText & { base: string }>,
  ): Promise<Refusal | null>;
  /** Returns null once it is merged. With `sha`, it merges only while that commit is the head. */
  mergePullRequest(repository: string, number: number, sha?: string): Promise<Refusal | null>;
  /** Returns null once it is ready for review. */
  markReady(repository: string, number: number): Promise<Refusal | null>;
  /** Returns null once it is a draft. */
  markDraft(repository: string, number: number): Promise<Refusal | null>;
  /** Compares a branch or a commit with a base. NOT_FOUND if one of them does not exist. */
  compareBranches(repository: string, base: string, branch: string): Promise<Comparison | Refusal>;
  /** Returns the head commit of a branch. NOT_FOUND if the branch does not exist. */
  readBranchHead(repository: string, branch: string): Promise<string | Refusal>;
  /** Lists all accounts that can review in this repository. */
  listReviewerCandidates(repository: string): Promise<Reviewer[] | Refusal>;
  /** Replaces the requested reviewers, except teams. Returns null on success. */
  setReviewers(repository: string, number: number, logins: string[]): Promise<Refusal | null>;
  /** Reads a pull request with its checks and its reviewers. */
  readReview(repository: string, number: number): Promise<(PullRequest & ReviewedPullRequest) | Refusal>;
  /** Lists the comments of a review on lines that the newest change still has. */
  listReviewComments(repository: string, number: number, reviewId: number): Promise<ReviewLineComment[] | Refusal>;
  /** Adds 👀 to a comment or a review. Returns null on success. */
  addReaction(repository: string, nodeId: string): Promise<Refusal | null>;
  /**
   * Writes a comment on an issue or a pull request, or changes this account's one that begins with
   * the marker. Returns its id.
   */
  writeComment(repository: string, comment: OwnComment): Promise<number | Refusal>;
  /** Returns null on success. */
  updateComment(repository: string, commentId: number, body: string): Promise<Refusal | null>;
  /** Lists the names of the branches, at most 2,000. */
  listBranches(repository: string): Promise<string[] | Refusal>;
  /** Reads the checks of a commit, or of the head of a branch. */
  readChecks(repository: string, ref: string): Promise<Checks | Refusal>;
  /** Lists the failed checks of a commit, with what they reported. */
  listFailedChecks(repository: string, sha: string): Promise<CheckFailure[] | Refusal>;
  /**
   * Reads a repository by its name. NOT_FOUND if it does not exist, or the service has no access.
   */
  readRepository(repository: string): Promise<Repository | Refusal>;
  hasBranch(repository: string, branch: string): Promise<boolean | Refusal>;
  /**
   * Reads a person's access. Compares the account by id, because a login can be taken over by
   * another person.
   */
  readAccess(repository: string, person: { login: string; hostUserId: string }): Promise<RepositoryAccess | Refusal>;
}

/**
 * Returns the client for one repository. Its token has access to no other repository, even to one
 * with the same name.
 */
export function createCodeHost(env: CodeHostEnv, ref: RepositoryRef): CodeHost {
  return createGithub({
    apiUrl: env.CODE_HOST_API_URL,
    tokenFor: (repository, refused) => tokenFor(env, { ...ref, repository }, refused),
    nameNow: (repository) => nameNow(env, { ...ref, repository }),
  });
}

/** Refuses a call without a credential of the service. */
export const notSetUp = refuse(
  "SERVICE_UNAVAILABLE",
  "The service has no access to a code host. The operator of the service has to set it up.",
);
