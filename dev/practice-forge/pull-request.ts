// A pull request of the forge: what is kept of it, and how it reads on the wire.

export interface PullRequest {
  number: number;
  title: string;
  body: string | null;
  head: string;
  base: string;
  isDraft: boolean;
  state: "open" | "closed";
  isMerged: boolean;
  /** The logins of those who are asked to review. */
  reviewers?: string[];
  /** When it was changed last, as an ISO date. */
  updatedAt: string;
}

/** Names a pull request across repositories, as GraphQL asks for it. */
export function nodeId(repository: string, number: number): string {
  return `PR_${Buffer.from(`${repository}#${number}`).toString("base64url")}`;
}

/** The repository and number behind a node id; null for what is none. */
export function behindNodeId(id: string): { repository: string; number: number } | null {
  const name = Buffer.from(id.slice("PR_".length), "base64url").toString("utf8");
  const [, repository, number] = /^([^#]+)#(\d+)$/.exec(name) ?? [];
  return id.startsWith("PR_") && repository && number ? { repository, number: Number(number) } : null;
}

/** The commit at the head of each branch. */
export type Heads = ReadonlyMap<string, string>;

/** What stands for no commit. */
export const nothing = "0".repeat(40);

/** A pull request as REST answers it, as far as anybody reads it. */
export function onWire(url: string, repository: string, pullRequest: PullRequest, heads: Heads) {
  const { number, title, body, head, base, isDraft, state, isMerged, updatedAt } = pullRequest;
  return {
    number,
    node_id: nodeId(repository, number),
    url: `${url}/repos/${repository}/pulls/${number}`,
    html_url: `${url}/${repository}/pull/${number}`,
    title,
    body,
    state,
    draft: isDraft,
    merged: isMerged,
    updated_at: updatedAt,
    head: { ref: head, sha: heads.get(head) ?? nothing },
    base: { ref: base, sha: heads.get(base) ?? nothing },
  };
}
