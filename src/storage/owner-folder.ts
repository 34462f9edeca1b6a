// Where storage keeps what belongs to the owner of turns: one folder each, which goes with it.
import type { TurnOwner } from "../rules/chat/turn-owner.ts";

const folders: Record<TurnOwner["type"], string> = { session: "sessions" };

export function ownerFolder({ type, id }: TurnOwner): string {
  return `${folders[type]}/${id}/`;
}
