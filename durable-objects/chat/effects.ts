// Performs the effects of turns, and handles the reminders of a chat.
import { type Actor, service } from "../../src/access/rules/actor.ts";
import type { TurnLinkClaim, TurnOwner } from "../../src/chat/rules/chat.ts";
import { cancelTurn, stopOverdue } from "../../src/chat/rules/stop.ts";
import { isUnfinished, publishUsage, type Turn } from "../../src/chat/rules/turn.ts";
import { type TurnSigns, watchTurn } from "../../src/chat/rules/watchdog.ts";
import { revokeAgentTokens } from "../../src/key/queries/keys.ts";
import type { ChatEffect, ChatReminder, Reminder } from "../../src/rules/effect.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { indexTurn } from "../../src/session/queries/index.ts";
import { indexUsage, type UsagePlace } from "../../src/usage/queries.ts";
import { listUsageByDay } from "../../src/usage/rules/usage.ts";
import { sendSavedById } from "../../src/webhook/member-events.ts";
import type { WebhooksEnv } from "../../src/webhook/send.ts";
import { type Chat, listSteers } from "./chat.ts";

/** The sandbox of a chat. */
export interface ChatSandbox {
  /** Returns false if nothing in the sandbox runs the turn. */
  stopTurn(turnId: string): Promise<boolean>;
  release(turnId: string): Promise<void>;
  discard(generation: number): Promise<void>;
  probe(): Promise<Omit<TurnSigns, "lastSignAt">>;
}

/** The effects that every host of turns performs in the same way. */
export type TurnEffect = Exclude<
  ChatEffect,
  Reminder<ChatReminder> | { type: "index-chat" } | { type: "drop-attachments" }
>;

/** What performing the effects of turns needs from their owner. */
export interface TurnEffectHost {
  env: WebhooksEnv;
  chat: Pick<Chat, "owner" | "turnHost" | "store">;
  turnOwner: TurnOwner;
  /** Where the usage of a turn, or of other work of the owner, is counted. */
  usagePlace(workId: string): UsagePlace;
  /** Hands a pending turn to its sandbox. */
  start(turn: Turn): Promise<void>;
  /** The sandbox that a turn runs in; null if there is none. */
  findTurnSandbox(turnId: string | null): ChatSandbox | null;
}

/** Performs one effect. Safe to repeat: an outdated effect is skipped. */
export async function performTurnEffect(host: TurnEffectHost, effect: TurnEffect): Promise<void> {
  const { env, chat, turnOwner } = host;
  switch (effect.type) {
    case "start-turn": {
      const turn = chat.store.turn(effect.id);
      return turn?.status === "pending" ? await host.start(turn) : undefined;
    }
    case "index-turn": {
      const turn = chat.store.turn(effect.id);
      return turn ? await indexTurn(env.DB, turnOwner, turn) : undefined;
    }
    case "index-usage": {
      const days = listUsageByDay(chat.store.calls.of(effect.id));
      const reached = await indexUsage(env.DB, host.usagePlace(effect.id), effect.id, days);
      return reached === null ? undefined : await sendSavedById(env, reached);
    }
    case "revoke-agent":
      return await revokeAgentTokens(env.DB, effect.id);
    default: {
      const turnId = effect.type === "discard-sandbox" ? (chat.owner.find()?.turn?.id ?? null) : effect.id;
      const sandbox = host.findTurnSandbox(turnId);
      return sandbox ? await sendToSandbox(chat, sandbox, effect) : undefined;
    }
  }
}

type SandboxAsked = Extract<
  TurnEffect,
  { type: "stop-turn" | "discard-sandbox" | "release-sandbox" | "deliver-steers" }
>;

async function sendToSandbox(
  { owner, turnHost }: TurnEffectHost["chat"],
  sandbox: ChatSandbox,
  effect: SandboxAsked,
): Promise<void> {
  switch (effect.type) {
    case "stop-turn": {
      const isSent = turnHost.command(effect.id, { type: "stop" });
      const turn = owner.find()?.turn ?? null;
      // The link reports the end of an unfinished turn. If the chat has already ended the turn, its
      // agent may still be cleaning up, and the sandbox reports when that is done.
      if (isSent && isUnfinished(turn) && turn.id === effect.id) return;
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
      for (const steer of listSteers(owner.find(), effect.id))
        turnHost.command(effect.id, owner.createSteerCommand(steer));
  }
}

/** Handles a reminder that is due. */
export async function handleChatReminder(
  { owner, turnHost }: Pick<Chat, "owner" | "turnHost">,
  sandbox: Pick<ChatSandbox, "probe">,
  name: ChatReminder,
): Promise<void> {
  if (name === "tell-usage") return void owner.decide(service, publishUsage);
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
  const result = owner.decide(by, (chat, now) => cancelTurn(chat, { turnId }, now));
  if (isRefusal(result) || result.settled) return result;
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
