// What the deletion of a person means for the turn of a chat.
import { service } from "../../src/access/rules/actor.ts";
import { stopSettleMs } from "../../src/chat/rules/stop.ts";
import { isUnfinished } from "../../src/chat/rules/turn.ts";
import type { Disconnection } from "../../src/chat/rules/turn-payer.ts";
import { findProvider } from "../../src/model/rules/model.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import type { Chat } from "./chat.ts";
import { cancel } from "./effects.ts";

/** Longer than any stop takes: a sandbox that does not confirm one is discarded before this. */
const stopWaitMs = stopSettleMs + 2_000;

/**
 * Stops the unfinished turn if the person sent its message. Throws while it is still being stopped,
 * so that it is tried again.
 */
export async function stopTurnOf(chat: Chat, userId: string): Promise<void> {
  const turn = chat.owner.find()?.turn ?? null;
  if (!isUnfinished(turn) || turn.sender.kind !== "member" || turn.sender.userId !== userId) return;
  const stopped = await cancel(chat, { turnId: turn.id, by: service }, stopWaitMs);
  if (isRefusal(stopped) || !stopped.settled) throw new Error("The turn is still being stopped.");
}

/** The disconnection that ends the unfinished turn if the person's subscription pays for it. */
export function findDisconnection(chat: Chat, userId: string): Disconnection | null {
  const turn = chat.owner.find()?.turn ?? null;
  if (!isUnfinished(turn) || turn.payer?.type !== "member" || turn.payer.userId !== userId) return null;
  const provider = findProvider(turn.model);
  const error = "The account whose subscription paid for this turn was deleted. Send the message again.";
  return provider && { userId, provider, error };
}
