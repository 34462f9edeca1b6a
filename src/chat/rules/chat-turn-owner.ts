// The owner of a turn: the noun that the turn's agent works for. The owner's object stores the turn. Tokens, streams and sandboxes refer to the
// owner by type and id.

export const turnOwnerTypes = ["session", "project", "cron-run"] as const;

export interface TurnOwner {
  type: (typeof turnOwnerTypes)[number];
  id: string;
  /** The cron of a run. What its runs store lies in one folder, which is deleted with the cron. */
  cronId?: string;
}

/** The identity of a turn link: a turn, and the sandbox generation that runs it. */
export interface TurnLinkClaim {
  turnId: string;
  generation: number;
}
