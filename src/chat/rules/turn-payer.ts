// The payer of a turn: settled when the turn starts, and not changed during it. If it is a
// subscription that its user disconnects, the turn ends.

import { findProvider } from "../../model/rules/model.ts";
import type { ProviderId } from "../../model/rules/provider.ts";
import type { Payer } from "../../provider-login/rules/payer.ts";
import { decided } from "../../rules/decision.ts";
import { isRefusal } from "../../rules/refusal.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import { isUnfinished } from "./turn.ts";
import { endTurn } from "./turn-end.ts";

/**
 * Settles the payer of a turn. It does not change during the turn, whatever is connected or
 * reassigned meanwhile.
 */
export function recordPayer(chat: ChatState, { turnId, payer }: { turnId: string; payer: Payer }): ChatDecision<null> {
  const { turn } = chat;
  if (!isUnfinished(turn) || turn.id !== turnId || turn.payer !== null) return decided(chat, null);
  return decided({ ...chat, turn: { ...turn, payer } }, null);
}

/** A subscription that its user has disconnected. */
export interface Disconnection {
  userId: string;
  provider: ProviderId;
  /** The error of a turn that ends because of it. */
  error: string;
}

/**
 * Ends the turn if that subscription pays for it. Turns of other payers and providers are not
 * affected.
 */
export function endDisconnected(chat: ChatState, gone: Disconnection, now: number): ChatDecision<{ ended: boolean }> {
  const { turn } = chat;
  const isPaidByIt =
    turn?.payer?.type === "member" && turn.payer.userId === gone.userId && findProvider(turn.model) === gone.provider;
  if (!isUnfinished(turn) || !isPaidByIt) return decided(chat, { ended: false });
  const end = { status: "failed", error: gone.error, errorCode: "subscription_disconnected" } as const;
  const ended = endTurn(chat, { turnId: turn.id, end }, now);
  if (isRefusal(ended)) return ended;
  return decided(ended.state, ended.result, [{ type: "stop-turn", id: turn.id }, ...ended.effects]);
}
