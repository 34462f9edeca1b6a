// What a session object does of its own accord: it performs what its rules ask for, and minds its reminders.
import { startTurn } from "../src/actions/start-turn.ts";
import type { Env } from "../src/env.ts";
import { newId } from "../src/ids.ts";
import type { Reminder, SessionEffect, SessionReminder } from "../src/rules/effect.ts";
import type { Session } from "../src/rules/session.ts";
import { isUnfinished, type Turn } from "../src/rules/turn.ts";
import { endTurn, stopOverdue } from "../src/rules/turn-end.ts";
import { type TurnSigns, watchTurn } from "../src/rules/watchdog.ts";
import { projectSession, projectTurn } from "../src/storage/queries/session-index.ts";
import { sandboxObject } from "./address.ts";
import type { Conversation } from "./conversation.ts";
import type { SessionRule } from "./session-calls.ts";
import type { SessionStore } from "./session-store.ts";
import type { TurnHost } from "./turn-host.ts";

export interface SessionActing {
  env: Env;
  store: SessionStore;
  conversation: Conversation;
  turnHost: TurnHost;
  /** Lets a rule decide that may end this turn. */
  decide(turnId: string, rule: SessionRule<unknown>): void;
}

const handoverCharacters = 100_000;

/** Performs one effect. Safe to repeat: what has been overtaken is not done. */
export async function performSessionEffect(
  acting: SessionActing,
  effect: Exclude<SessionEffect, Reminder<SessionReminder>>,
): Promise<void> {
  const { env, store, turnHost } = acting;
  const state = store.find();
  if (!state) return;
  const { session } = state;
  const sandbox = sandboxObject(env, session.sandboxKey);
  switch (effect.do) {
    case "project-session":
      return await projectSession(env.DB, state);
    case "project-turn": {
      const turn = store.turn(effect.turnId);
      return turn ? await projectTurn(env.DB, session.id, turn) : undefined;
    }
    case "start-turn": {
      const turn = store.turn(effect.turnId);
      return turn?.status === "pending" ? await start(acting, session, turn) : undefined;
    }
    case "stop-turn":
      if (!turnHost.command(effect.turnId, { type: "stop" })) await sandbox.stopTurn(effect.turnId);
      return;
    case "release-sandbox":
      return await sandbox.release(effect.turnId);
    case "discard-sandbox":
      return await sandbox.discard(effect.generation);
  }
}

async function start(acting: SessionActing, session: Session, turn: Turn): Promise<void> {
  const { env, store, conversation, decide } = acting;
  const error = await startTurn(env, {
    session,
    turn,
    content: conversation.openingOf(turn.id),
    previous: store.turnNumbered(turn.number - 1),
    retell: () => conversation.retell(turn.id, handoverCharacters),
  });
  if (error === null) return;
  const end = { status: "failed" as const, error, errorCode: null };
  decide(turn.id, (state, now) => endTurn(state, { turnId: turn.id, end, nextTurnId: newId(now) }, now));
}

/** A reminder's time has come. */
export async function mindSessionReminder(acting: SessionActing, name: SessionReminder): Promise<void> {
  const { env, store, turnHost, decide } = acting;
  const { session, turn = null } = store.find() ?? {};
  if (!session || !isUnfinished(turn)) return;
  switch (name) {
    case "stop-overdue":
      decide(turn.id, (state, now) => stopOverdue(state, { nextTurnId: newId(now) }, now));
      return;
    case "watch-turn": {
      // A link that is up says that the sandbox is; heartbeats say whether it is well.
      const look: Omit<TurnSigns, "lastSignAt"> = turnHost.isLinked(turn.id)
        ? { sandbox: "running" }
        : await sandboxObject(env, session.sandboxKey).look();
      const signs = { lastSignAt: turnHost.lastSignAt(turn.id), ...look };
      decide(turn.id, (state, now) => watchTurn(state, { seen: turn, signs, nextTurnId: newId(now) }, now));
      return;
    }
  }
}
