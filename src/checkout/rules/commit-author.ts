// The author of a manual commit (Part 1, "Files and commits").

export interface CommitAuthor {
  name: string;
  email: string;
}

const theService: CommitAuthor = { name: "Switchyard", email: "app@switchyard.invalid" };

/**
 * The author of a commit by the member with this account at the code host. The service itself for a
 * member without an account, or for a caller that acts for no member.
 */
export function getCommitAuthor(account: CommitAuthor | null): CommitAuthor {
  return account === null ? theService : { name: account.name, email: account.email };
}
