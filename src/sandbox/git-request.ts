// What the sandbox program is told to do with git: the changes that are made by hand.

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
