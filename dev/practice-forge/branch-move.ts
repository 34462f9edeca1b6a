// How a branch of the forge follows the same branch of a folder that is brought in again: newer commits come in, and nothing that was pushed is lost.

export interface BranchCommits {
  /** At the forge; null where it has no such branch. */
  present: string | null;
  /** In the folder, when it was last brought in; null where it had no such branch. */
  before: string | null;
  /** In the folder. */
  now: string;
}

/** How the forge's commit stands to the folder's. */
export type Relation = "behind" | "ahead" | "apart";

/** `move` sets the branch to the folder's commit. `apart` leaves it: both sides have commits that the other lacks. */
export type BranchMove = "move" | "stay" | "apart";

/** Decides on one branch. `relation` is asked for only where the commits alone do not decide. */
export async function branchMove(
  { present, before, now }: BranchCommits,
  relation: () => Promise<Relation>,
): Promise<BranchMove> {
  // Whoever deleted the branch at the forge did so after it was brought in.
  if (present === null) return now === before ? "stay" : "move";
  if (present === now || now === before) return "stay";
  // Nobody has pushed to it since, so it follows even where the folder's history was rewritten.
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
