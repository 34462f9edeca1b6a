// Performs the effects of a chat on its sandbox, and handles its reminders.
import { type Actor, service } from "../../src/access/rules/actor.ts";
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import { isUnfinished, tellUsage } from "../../src/chat/rules/turn.ts";
import { cancelTurn, stopOverdue } from "../../src/chat/rules/turn-end.ts";
import { type TurnSigns, watchTurn } from "../../src/chat/rules/watchdog.ts";
import type { ChatEffect, ChatReminder } from "../../src/rules/effect.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { type Chat, steersOf } from "./chat.ts";

/** The sandbox of a chat. */
export interface ChatSandbox {
  /** Returns false if nothing in the sandbox runs the turn. */
  stopTurn(turnId: string): Promise<boolean>;
  release(turnId: string): Promise<void>;
  discard(generation: number): Promise<void>;
  probe(): Promise<Omit<TurnSigns, "lastSignAt">>;
}

export type SandboxAsked = Extract<
  ChatEffect,
  { type: "stop-turn" | "discard-sandbox" | "release-sandbox" | "deliver-steers" }
>;

/** Performs an effect on the sandbox. Safe to repeat: an outdated effect is skipped. */
export async function askSandbox(
  { owner, turnHost }: Pick<Chat, "owner" | "turnHost">,
  sandbox: ChatSandbox,
  effect: SandboxAsked,
): Promise<void> {
  switch (effect.type) {
    case "stop-turn": {
      const isTold = turnHost.command(effect.id, { type: "stop" });
      const turn = owner.find()?.turn ?? null;
      // The link reports the end of an unfinished turn. If the chat has already ended the turn, its
      // agent may still be cleaning up, and the sandbox reports when that is done.
      if (isTold && isUnfinished(turn) && turn.id === effect.id) return;
      // No sandbox runs the turn, so it has ended.
      if (!(await sandbox.stopTurn(effect.id))) owner.endTurn(effect.id, { status: "cancelled" });
      return;
    }
    case "discard-sandbox":
      return await sandbox.discard(effect.id);
    case "release-sandbox":
      return await sandbox.release(effect.id);
    case "deliver-steers":
      // Without a link, the steers are delivered when the next link is accepted.
      for (const steer of steersOf(owner.find(), effect.id)) turnHost.command(effect.id, owner.steerCommand(steer));
  }
}

/** Handles a reminder that is due. */
export async function remindChat(
  { owner, turnHost }: Pick<Chat, "owner" | "turnHost">,
  sandbox: Pick<ChatSandbox, "probe">,
  name: ChatReminder,
): Promise<void> {
  if (name === "tell-usage") return void owner.decide(service, tellUsage);
  if (name === "stop-overdue") return void owner.decide(service, stopOverdue);
  const turn = owner.find()?.turn ?? null;
  if (!isUnfinished(turn)) return;
  // An open link shows that the sandbox runs. The link's heartbeats show whether it is healthy.
  const seen: Omit<TurnSigns, "lastSignAt"> = turnHost.isLinked(turn.id)
    ? { sandbox: "running" }
    : await sandbox.probe();
  const signs = { lastSignAt: turnHost.lastSignAt(turn.id), ...seen };
  owner.decide(service, (chat, now) => watchTurn(chat, { seen: turn, signs }, now));
}

/** The longest wait for the sandbox to stop a turn. */
const cancelWaitMs = 900;

/** Stops a turn. Returns when the turn has ended, or after a short wait for the sandbox. */
export async function cancel(
  { owner, waiters, store }: Pick<Chat, "owner" | "waiters" | "store">,
  { turnId, by }: { turnId: string; by: Actor },
  waitMs = cancelWaitMs,
): Promise<{ settled: boolean } | Refusal> {
  const answer = owner.decide(by, (chat, now) => cancelTurn(chat, { turnId }, now));
  if (isRefusal(answer) || answer.settled) return answer;
  await waiters.wait(turnId, waitMs);
  return { settled: !isUnfinished(store.turn(turnId)) };
}

/**
 * True if the agent of a chat's turn may still call a model or a tool of the service: the turn was
 * not stopped, and no newer generation of its sandbox runs it.
 */
export function isTurnLive({ store }: Pick<Chat, "store">, { turnId, generation }: TurnLinkClaim): boolean {
  const turn = store.turn(turnId);
  return isUnfinished(turn) && turn.stopRequestedAt === null && generation >= turn.generation;
}
