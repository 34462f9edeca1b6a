// How a branch follows the same branch of a folder that is imported again. Newer commits are added,
// and no pushed commits are lost.

export interface BranchCommits {
  /** The commit at the code host; null if the branch does not exist there. */
  present: string | null;
  /** The commit in the folder at its last import; null if the branch did not exist. */
  before: string | null;
  /** The commit in the folder now. */
  now: string;
}

/** The relation of the code host's commit to the folder's. */
export type Relation = "behind" | "ahead" | "apart";

/**
 * `move` sets the branch to the folder's commit. `apart` does not change it: each side has commits
 * that the other lacks.
 */
export type BranchMove = "move" | "stay" | "apart";

/** Decides about one branch. `relation` is called only if the commits do not decide. */
export async function getBranchMove(
  { present, before, now }: BranchCommits,
  relation: () => Promise<Relation>,
): Promise<BranchMove> {
  // The branch was deleted at the code host after its import.
  if (present === null) return now === before ? "stay" : "move";
  if (present === now || now === before) return "stay";
  // Nobody has pushed to it since, so it follows even if the folder's history was rewritten.
  if (present === before) return "move";
  switch (await relation()) {
    case "behind":
      return "move";
    case "ahead":
      return "stay";
    case "apart":
      return "apart";
  }
}
