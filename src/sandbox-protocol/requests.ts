// Requests to the sandbox program about its checkout and git, and what a turn gets from the
// service.

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
  /** The required commit of the base branch; missing if any will do. A base is made of this one. */
  commit?: string | undefined;
  /** Shell commands that prepare a fresh checkout, in order. */
  setup: string[];
  env: Record<string, string>;
  /**
   * True if a failed setup command is reported in the response and does not refuse the checkout,
   * because an agent is to fix it.
   */
  reportsSetupFailure?: boolean | undefined;
  /**
   * The branch of a spare. A checkout of that branch becomes this one, at the newest commit of the
   * base branch.
   */
  spareBranch?: string | undefined;
  /**
   * The newest commit of the base branch, if it is known. A spare that is already at it does not
   * contact the remote.
   */
  newest?: string | undefined;
  /**
   * True if an agent may begin before a clone has its whole history. Until then, the token has to
   * stay valid.
   */
  early?: boolean | undefined;
}

export interface CheckedOut {
  /** Null if git cannot read it: restored work may be in any state. */
  head: string | null;
  /** True if this call made the checkout, and a base of it would save time. */
  paysABase: boolean;
  /** Why a deleted repository could not be restored around the project's files. */
  unrepaired?: string | undefined;
  /**
   * The setup command that failed, with the end of its output, if the checkout was made
   * nevertheless.
   */
  setupFailure?: string | undefined;
  /** True if a spare's checkout had to move to a newer commit to become this one. */
  moved?: boolean | undefined;
  /**
   * Set if the checkout came from a base of an earlier commit: the extra milliseconds over a base
   * of this commit, for the move and setup.
   */
  baseMovedMs?: number | undefined;
  /** Why the restored base could not be moved. The checkout was cloned and set up instead. */
  baseUnmoved?: string | undefined;
}

export interface Followed {
  head: string | null;
  /** True if the services have not been restarted since the checkout moved. */
  moved: boolean;
  /** As for a checkout. */
  setupFailure?: string | undefined;
}

/** A member's commit of all changes. */
export interface GitCommit {
  message: string;
  author: { name: string; email: string };
}

export interface GitCommitted {
  sha: string;
}

/** A push of the checkout's branch. */
export interface GitPush {
  token: string;
}

/** The fetch of a branch to compare with. */
export interface BranchFetch {
  branch: string;
  token: string;
}

/**
 * A skill that the service stores. GET `url` with the turn token as bearer credential returns its
 * files as JSON.
 */
export interface GivenSkill {
  name: string;
  /** The SHA-256 of its `formatSkillContent`, in base64url. */
  hash: string;
  url: string;
}

/**
 * A plugin that the session's Assignee has enabled. GET `url` with the turn token as bearer
 * credential returns its files as a tar; PUT an InstallReport there reports the outcome.
 */
export interface GivenPlugin {
  name: string;
  /** The SHA-256 of its `formatPluginContent`, in base64url. */
  hash: string;
  url: string;
  /** True if the last install failed, so that a success must be reported. */
  hasFailed: boolean;
}

/** The outcome of a plugin's install in a sandbox; null after a success. */
export interface InstallReport {
  failure: string | null;
}
