// Whether the agent of a chat's turn may still call a model, or a tool of the service.

import type { TurnLinkClaim } from "../../src/chat/rules/chat-turn-owner.ts";
import { isUnfinished } from "../../src/chat/rules/turn.ts";
import type { Chat } from "./chat.ts";

/** True while the turn was not stopped, and no newer generation of its sandbox runs it. */
export function isTurnLive({ store }: Pick<Chat, "store">, { turnId, generation }: TurnLinkClaim): boolean {
  const turn = store.turn(turnId);
  return isUnfinished(turn) && turn.stopRequestedAt === null && generation >= turn.generation;
}
