// Git requests to the sandbox program: commit and push by a member, and what a comparison needs of the remote.

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
