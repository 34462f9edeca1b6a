// The R2 folder of an owner of turns. It is deleted with its owner.
import type { TurnOwner } from "../rules/chat/turn-owner.ts";

const folders: Record<TurnOwner["type"], string> = { session: "sessions" };

export function ownerFolder({ type, id }: TurnOwner): string {
  return `${folders[type]}/${id}/`;
}
