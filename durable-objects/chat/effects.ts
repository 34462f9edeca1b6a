// What a chat asks of the sandbox that its turns run in, and its deadlines.
import { service } from "../../src/rules/access/actor.ts";
import { stopOverdue } from "../../src/rules/chat/stop.ts";
import { isUnfinished } from "../../src/rules/chat/turn.ts";
import { type TurnSigns, watchTurn } from "../../src/rules/chat/watchdog.ts";
import type { ChatEffect, ChatReminder } from "../../src/rules/effect.ts";
import { type Chat, steersOf } from "./chat.ts";

/** The sandbox of a chat. */
export interface ChatSandbox {
  /** False where nothing in it runs the turn. */
  stopTurn(turnId: string): Promise<boolean>;
  release(turnId: string): Promise<void>;
  discard(generation: number): Promise<void>;
  probe(): Promise<Omit<TurnSigns, "lastSignAt">>;
}

export type SandboxAsked = Extract<
  ChatEffect,
  { type: "stop-turn" | "discard-sandbox" | "release-sandbox" | "deliver-steers" }
>;

/** Asks the sandbox. Safe to repeat: what has been overtaken is not done. */
export async function askSandbox(
  { owner, turnHost }: Pick<Chat, "owner" | "turnHost">,
  sandbox: ChatSandbox,
  effect: SandboxAsked,
): Promise<void> {
  switch (effect.type) {
    case "stop-turn":
      if (turnHost.command(effect.turnId, { type: "stop" })) return;
      // One whose sandbox is gone is over.
      if (!(await sandbox.stopTurn(effect.turnId))) owner.endTurn(effect.turnId, { status: "cancelled" });
      return;
    case "discard-sandbox":
      return await sandbox.discard(effect.generation);
    case "release-sandbox":
      return await sandbox.release(effect.turnId);
    case "deliver-steers":
      // Where no link is up, the next one that is accepted brings them.
      for (const steer of steersOf(owner.find(), effect.turnId))
        turnHost.command(effect.turnId, owner.steerCommand(steer));
  }
}

/** A deadline of the chat has come. */
export async function remindChat(
  { owner, turnHost }: Pick<Chat, "owner" | "turnHost">,
  sandbox: Pick<ChatSandbox, "probe">,
  name: ChatReminder,
): Promise<void> {
  if (name === "stop-overdue") return void owner.decide(service, stopOverdue);
  const turn = owner.find()?.turn ?? null;
  if (!isUnfinished(turn)) return;
  // A link that is up says that the sandbox is; heartbeats say whether it is well.
  const seen: Omit<TurnSigns, "lastSignAt"> = turnHost.isLinked(turn.id)
    ? { sandbox: "running" }
    : await sandbox.probe();
  const signs = { lastSignAt: turnHost.lastSignAt(turn.id), ...seen };
  owner.decide(service, (chat, now) => watchTurn(chat, { seen: turn, signs }, now));
}
