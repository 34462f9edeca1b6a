// Git requests to the sandbox program: a member's commit and push, and the fetch of a branch to compare with.

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
