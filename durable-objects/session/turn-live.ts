// Whether the agent of a turn or of a command may still call a model or push.
import { isUnfinished } from "../../src/rules/chat/turn.ts";
import type { TurnLinkClaim } from "../../src/rules/chat/turn-owner.ts";
import { isCommandRunning } from "../../src/rules/session/runtime-command.ts";
import type { SessionContext } from "./context.ts";

export function isTurnLive(
  { store, chat }: Pick<SessionContext, "store" | "chat">,
  { turnId, generation }: TurnLinkClaim,
): boolean {
  const { session } = store.find() ?? {};
  if (session?.command?.id === turnId) return isCommandRunning(session);
  const turn = chat.store.turn(turnId);
  return isUnfinished(turn) && turn.stopRequestedAt === null && generation >= turn.generation;
}
