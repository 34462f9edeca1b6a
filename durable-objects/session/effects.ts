// What a session object does of its own accord: it performs what its rules ask for, and minds its reminders.

import { newId } from "../../src/ids.ts";
import { mayAnswer, optionsChosen } from "../../src/rules/chat/clarification-answer.ts";
import { stopOverdue } from "../../src/rules/chat/stop.ts";
import { isUnfinished, type Turn } from "../../src/rules/chat/turn.ts";
import { type TurnSigns, watchTurn } from "../../src/rules/chat/watchdog.ts";
import type { Reminder, SessionEffect, SessionReminder } from "../../src/rules/effect.ts";
import { commandEnded } from "../../src/rules/session/runtime-command.ts";
import { endTurn } from "../../src/rules/session/turn-end.ts";
import { deleteAttachments, deleteOwnedObjects } from "../../src/storage/attachments.ts";
import { revokeAgentTokens, revokeSessionTokens } from "../../src/storage/queries/keys.ts";
import { indexSession, indexTurn } from "../../src/storage/queries/session-index.ts";
import { deleteSessionRows } from "../../src/storage/queries/session-removal.ts";
import { sandboxObject } from "../address.ts";
import { compactConversation } from "./compaction.ts";
import type { SessionDesk } from "./context.ts";
import { compareBranch } from "./pull-request/branch.ts";
import { finishWaiting } from "./pull-request/open.ts";
import { shipOnceChecked } from "./pull-request/ship.ts";
import { skillAtWork } from "./skill.ts";
import { startTurn } from "./start-turn.ts";
import { followPullRequest, stopInSandbox } from "./update.ts";

type Performed = Exclude<SessionEffect, Reminder<SessionReminder>>;
/** What is done after the session itself is gone. */
type Farewell = Extract<
  Performed,
  { type: "destroy-sandbox" | "forget-session" | "drop-attachments" | "revoke-agent" }
>;

const handoverCharacters = 100_000;
const commandOverdue = "The command took too long and was given up.";

/** Performs one effect. Safe to repeat: what has been overtaken is not done. */
export async function performSessionEffect(desk: SessionDesk, effect: Performed): Promise<void> {
  const { env } = desk;
  switch (effect.type) {
    case "destroy-sandbox":
      return await sandboxObject(env, effect.sandboxKey).destroy();
    case "forget-session":
      await deleteSessionRows(env.DB, effect.sessionId);
      await revokeSessionTokens(env.DB, effect.sessionId);
      return await deleteOwnedObjects(env.STORE, { type: "session", id: effect.sessionId });
    case "drop-attachments":
      return await deleteAttachments(env.STORE, { type: "session", id: effect.sessionId }, effect.attachmentIds);
    case "revoke-agent":
      return await revokeAgentTokens(env.DB, effect.turnId);
    default:
      return await performInSession(desk, effect);
  }
}

async function performInSession(desk: SessionDesk, effect: Exclude<Performed, Farewell>): Promise<void> {
  const { env, store, turnHost } = desk;
  const state = store.find();
  if (!state) return;
  const { session } = state;
  const sandbox = sandboxObject(env, session.sandboxKey);
  switch (effect.type) {
    case "index-session":
      return await indexSession(env.DB, state);
    case "index-turn": {
      const turn = store.turn(effect.turnId);
      return turn ? await indexTurn(env.DB, { type: "session", id: session.id }, turn) : undefined;
    }
    case "start-turn": {
      const turn = store.turn(effect.turnId);
      return turn?.status === "pending" ? await start(desk, turn) : undefined;
    }
    case "deliver-steers":
      for (const steer of state.chat.steers) {
        // Where no link is up, the next one that is accepted brings them.
        if (steer.turnId === effect.turnId) turnHost.command(steer.turnId, desk.steerCommand(steer));
      }
      return;
    case "stop-turn":
      return await stopInSandbox(desk, effect.turnId);
    case "compact":
      return session.command?.id === effect.commandId ? await compact(desk, effect.commandId) : undefined;
    case "release-sandbox":
      return await sandbox.release(effect.turnId);
    case "discard-sandbox":
      return await sandbox.discard(effect.generation);
    case "follow-pull-request":
      return await followPullRequest(desk);
    case "ship":
      return await shipOnceChecked(desk);
    case "compare-branch":
      return await compareBranch(desk);
    case "stop-sandbox":
      await sandbox.stopGracefully();
      return;
  }
}

async function start(desk: SessionDesk, turn: Turn): Promise<void> {
  const { env, store, conversation, transcript, decide } = desk;
  const message = conversation.firstMessageOf(turn.id);
  const waiting = await finishWaiting(desk, turn);
  const state = store.find();
  if (!state || waiting === "asked-again") return;
  const { session, chat } = state;
  const previous = store.turnNumbered(turn.number - 1);
  const error = await startTurn(env, {
    session,
    turn,
    message,
    answers: mayAnswer(message, previous) ? optionsChosen(conversation.questionsOf(previous.id), message) : null,
    skill: skillAtWork(desk, turn),
    comments: desk.reviewComments.unresolved(message.context.reviewCommentIds),
    previous,
    waiting,
    isNewConversation: !store.hasBegunConversation(turn),
    retell: () => transcript.retell(turn.id, handoverCharacters, chat.clearedAt),
  });
  // A turn that ended meanwhile has had its agent's token revoked, perhaps before there was one.
  if (!isUnfinished(store.turn(turn.id))) await revokeAgentTokens(env.DB, turn.id);
  if (error === null) return;
  const end = { status: "failed" as const, error, errorCode: null };
  decide((state, now) => endTurn(state, { turnId: turn.id, end, nextTurnId: newId(now) }, now));
}

async function compact({ env, store, decide }: SessionDesk, commandId: string): Promise<void> {
  const state = store.find();
  if (!state) return;
  const error = await compactConversation(env, state);
  decide((state, now) => commandEnded(state, { commandId, error }, now));
}

/** A reminder's time has come. */
export async function mindSessionReminder(desk: SessionDesk, name: SessionReminder): Promise<void> {
  const { env, store, turnHost, decide, decideChat } = desk;
  if (name === "forget-answers") return desk.answers.sweep(Date.now());
  const { session, chat } = store.find() ?? {};
  if (!session || !chat) return;
  switch (name) {
    case "command-overdue": {
      const commandId = session.command?.id ?? "";
      decide((state, now) => commandEnded(state, { commandId, error: commandOverdue }, now));
      return;
    }
    case "stop-overdue":
      decideChat(stopOverdue);
      return;
    case "watch-turn": {
      const { turn } = chat;
      if (!isUnfinished(turn)) return;
      // A link that is up says that the sandbox is; heartbeats say whether it is well.
      const look: Omit<TurnSigns, "lastSignAt"> = turnHost.isLinked(turn.id)
        ? { sandbox: "running" }
        : await sandboxObject(env, session.sandboxKey).probe();
      const signs = { lastSignAt: turnHost.lastSignAt(turn.id), ...look };
      decideChat((current, now) => watchTurn(current, { seen: turn, signs }, now));
      return;
    }
  }
}
