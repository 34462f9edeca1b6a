// The context of a run object: what its calls work with.
import migrations from "../../migrations/cron-run/migrations.js";
import { type ChatEvent, toMessageEvent, toTurnEndedEvent, toTurnEvent } from "../../src/chat/rules/live-event.ts";
import { endTurn } from "../../src/chat/rules/turn-end.ts";
import { toWireChatEvent } from "../../src/chat/wire/live-event.ts";
import {
  applyChatDecision,
  type CronRunDecision,
  type CronRunState,
  noRun,
  recordPhases,
} from "../../src/cron/rules/run.ts";
import type { Env } from "../../src/env.ts";
import type { CronRunEffect } from "../../src/rules/effect.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import { type Chat, createChat } from "../chat/chat.ts";
import { getDatabase } from "../object/database.ts";
import { createParking } from "../object/parking.ts";
import { createShell, type Shell } from "../object/shell.ts";
import { handleRunReminder, performRunEffect } from "./effects.ts";
import { type CronRunStore, createCronRunStore } from "./store.ts";

export interface CronRunContext {
  env: Env;
  store: CronRunStore;
  chat: Chat;
  shell: Shell<CronRunState | null, CronRunEffect>;
  /** The run's API key, while this object has it in memory. It is never stored. */
  key: { value: string | null };
  /** Lets a rule decide on an existing run. */
  decide<Result>(rule: (state: CronRunState, now: number) => CronRunDecision<Result>): Result | Refusal;
}

/** Creates the context of an object. */
export function createCronRunContext(ctx: DurableObjectState, env: Env): CronRunContext {
  const db = getDatabase(ctx, migrations);
  const chat: Chat = createChat(ctx, db, {
    find: () => store.find()?.chat ?? null,
    decide: (_by, rule) =>
      context.decide((state, now) => applyChatDecision(state, rule(state.chat, now), "watchdog", now)),
    endTurn: (turnId, end) =>
      void context.decide((state, now) =>
        applyChatDecision(state, endTurn(state.chat, { turnId, end }, now), "sandbox", now),
      ),
    // Required by the interface, although a cron run is never steered.
    createSteerCommand: ({ steerId, message }) => ({
      type: "steer",
      steerId,
      text: message.content,
      skill: null,
      attachments: [],
    }),
    remindToWatch: (at) => shell.remindBy("watch-turn", at),
    onTargetCommit: () => undefined,
    onAgentVersion: (_turnId, agentVersion) => void context.decide((state) => recordPhases(state, { agentVersion })),
    onLog: (_turnId, lines) => store.log.append(lines),
    listOwnerEvents: () => [],
    toWire(event) {
      const { id = "", projectId = "" } = store.find()?.run ?? {};
      return toWireChatEvent(event as ChatEvent, { id, projectId });
    },
  });
  const store = createCronRunStore(db, chat.store);

  const shell: CronRunContext["shell"] = createShell<CronRunState | null, CronRunEffect>(ctx, db, {
    load: store.find,
    save(before, after) {
      store.save(before, after);
      chat.logChanges(before?.chat ?? null, after?.chat ?? null, listRunEvents(before, after));
    },
    onCommitted: chat.subscribers.publish,
    onRolledBack: store.invalidate,
    perform: (effect) => performRunEffect(context, effect),
    parking: createParking(ctx, env, "cron-run"),
    remind: (name) => handleRunReminder(context, name),
  });

  const context: CronRunContext = {
    env,
    store,
    chat,
    shell,
    key: { value: null },
    decide: (rule) => shell.decide((state, now) => (state ? rule(state, now) : noRun)),
  };
  void ctx.blockConcurrencyWhile(() => shell.resume());
  return context;
}

/** The live events of a decision. */
function listRunEvents(before: CronRunState | null, after: CronRunState | null): ChatEvent[] {
  if (after === null) return before ? [{ type: "deleted", turnId: null }] : [];
  const { turn, endedTurn, newMessages } = after.chat;
  const events: ChatEvent[] = newMessages.map(toMessageEvent);
  if (endedTurn) return [...events, toTurnEvent(endedTurn), toTurnEndedEvent(endedTurn)];
  return turn && turn !== before?.chat.turn ? [...events, toTurnEvent(turn)] : events;
}
