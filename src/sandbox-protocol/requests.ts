// Requests for the checkout of a sandbox: to make it, and to move it on with its base branch.

export interface Checkout {
  /** The repository's URL at the git gateway, without a credential. */
  remoteUrl: string;
  /** Sent as a bearer credential to the git gateway; never written to disk. */
  token: string;
  /**
   * The session's own branch. It is fetched if the remote has it, otherwise created from
   * `baseBranch`.
   */
  branch: string;
  baseBranch: string;
  /** The commit that the base branch has to be at, so that a base is made from no other. */
  commit?: string | undefined;
  /** Shell commands that prepare a fresh checkout, in order. */
  setup: string[];
  env: Record<string, string>;
  /**
   * A setup command that fails is reported, and does not refuse the checkout: an agent is to mend
   * it.
   */
  mends?: boolean | undefined;
  /**
   * The branch of a spare. A checkout of that branch becomes this one, at the newest commit of the
   * base branch.
   */
  spareBranch?: string | undefined;
  /**
   * The newest commit of the base branch, if it is known: a spare that is there asks the remote for
   * nothing.
   */
  newest?: string | undefined;
}

export interface CheckedOut {
  /** Null if git cannot read it: restored work may be in any state. */
  head: string | null;
  /** True if this call made the checkout, and a base of it would save time. */
  paysABase: boolean;
  /** Why a removed repository could not be restored around the project's files. */
  unrepaired?: string | undefined;
  /**
   * The command of the setup that failed, with the end of its output, where the checkout was made
   * all the same.
   */
  setupFailure?: string | undefined;
  /** True if a spare's checkout had to move on to become this one. */
  moved?: boolean | undefined;
  /**
   * The checkout is that of a base of an earlier commit. It took so many milliseconds more than one
   * of this commit would have: to move on, and setup.
   */
  baseMovedMs?: number | undefined;
  /**
   * Why the base that was restored could not be moved on: the checkout was cloned and set up
   * instead.
   */
  baseUnmoved?: string | undefined;
}

export interface Followed {
  head: string | null;
  /** False if the base branch has nothing newer. */
  moved: boolean;
  /** As of a checkout. */
  setupFailure?: string | undefined;
}

// Git requests to the sandbox program: a member's commit and push, and the fetch of a branch to
// compare with.

export interface GitCommit {
  message: string;
  author: { name: string; email: string };
}

export interface GitCommitted {
  sha: string;
}

export interface GitPush {
  token: string;
}

export interface BranchFetch {
  branch: string;
  token: string;
}

// What a turn is given to be called by its messages: kept skills, and plugins. Part of the protocol
// with the sandbox program.

/**
 * A skill that the service keeps. GET `url` with the turn token as bearer credential returns its
 * files as JSON.
 */
export interface GivenSkill {
  name: string;
  /** The SHA-256 of its `skillContent`, in base64url. */
  hash: string;
  url: string;
}

/**
 * A plugin that the session's Assignee has on. GET `url` with the turn token as bearer credential
 * returns its files as a tar; PUT an InstallReport there tells what came of it.
 */
export interface GivenPlugin {
  name: string;
  /** The SHA-256 of its `pluginContent`, in base64url. */
  hash: string;
  url: string;
  /** True if it could not be had the last time, so that a success is to be told. */
  hasFailed: boolean;
}

/** What came of a plugin in a sandbox; null after a success. */
export interface InstallReport {
  failure: string | null;
}
