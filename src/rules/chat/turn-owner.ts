// The owner of a turn: what the turn's agent works for. The object of the owner keeps the turn, and answers for it wherever a token, a
// stream or a sandbox names it.

export const turnOwnerTypes = ["session"] as const;

export interface TurnOwner {
  type: (typeof turnOwnerTypes)[number];
  id: string;
}

/** Whose link it is: a turn, as one sandbox generation has it. */
export interface TurnLinkClaim {
  turnId: string;
  generation: number;
}
