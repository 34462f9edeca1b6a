// Git requests to the sandbox program: commit and push by a member.

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
