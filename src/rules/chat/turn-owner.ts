// The owner of a turn: what the turn's agent works for. The object of the owner keeps the turn, and answers for it wherever a token, a
// stream or a sandbox names it.

export const turnOwnerTypes = ["session"] as const;

export interface TurnOwner {
  type: (typeof turnOwnerTypes)[number];
  id: string;
}
