// An owner of a chat that is no session: it says when a message starts a turn, and wraps the chat
// machine for everything else.

import { type Chat, type ChatRule, createChat } from "../../../durable-objects/chat/chat.ts";
import {
  cancel,
  handleChatReminder,
  isTurnLive,
  performTurnEffect,
  type TurnEffectHost,
} from "../../../durable-objects/chat/effects.ts";
import { steerMessage, updateQueue } from "../../../durable-objects/chat/queue.ts";
import type { QueueChange } from "../../../durable-objects/chat/rpc.ts";
import type { ChatRecord } from "../../../durable-objects/chat/store.ts";
import { TurnOwnerObject } from "../../../durable-objects/chat/turn-owner-object.ts";
import { getDatabase } from "../../../durable-objects/object/database.ts";
import { createParking } from "../../../durable-objects/object/parking.ts";
import { createShell, type Shell } from "../../../durable-objects/object/shell.ts";
import migrations from "../../../migrations/session/migrations.js";
import type { Actor, Sender } from "../../../src/access/rules/actor.ts";
import { type ChatState, createChatState, type TurnLinkClaim } from "../../../src/chat/rules/chat.ts";
import { type ChatEvent, listChatChanges } from "../../../src/chat/rules/live-event.ts";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import { startQueuedTurn } from "../../../src/chat/rules/queue.ts";
import { resumeQueue } from "../../../src/chat/rules/queue-pause.ts";
import { sendMessage } from "../../../src/chat/rules/send.ts";
import { endTurn } from "../../../src/chat/rules/turn-end.ts";
import { toWireChatEvent } from "../../../src/chat/wire/live-event.ts";
import { createId } from "../../../src/lib/ids.ts";
import { decided } from "../../../src/rules/decision.ts";
import type { ChatEffect } from "../../../src/rules/effect.ts";
import { isRefusal, type Refusal, refuse } from "../../../src/rules/refusal.ts";

interface ProjectState {
  isDeployed: boolean;
  chat: ChatState;
}

const asEvent = ({ isDeployed }: ProjectState) => ({ type: "project-changed" as const, turnId: null, isDeployed });

export class ChatOwnerObject extends TurnOwnerObject {
  readonly #kv = this.ctx.storage.kv;
  readonly #db = getDatabase(this.ctx, migrations);
  readonly #chat: Chat = createChat(this.ctx, this.#db, {
    find: () => this.#load().chat,
    decide: (_by, rule) => this.#decide(rule),
    endTurn: (turnId, end) => void this.#decide((chat, now) => endTurn(chat, { turnId, end }, now)),
    createSteerCommand: ({ steerId, message: { content: text } }) => ({
      type: "steer",
      steerId,
      text,
      skill: null,
      attachments: [],
    }),
    remindToWatch: (at) => this.#shell.remindBy("watch-turn", at),
    onTargetCommit: () => undefined,
    listOwnerEvents: () => [asEvent(this.#load())],
    toWire: (liveEvent) => {
      const event = liveEvent as ChatEvent | ReturnType<typeof asEvent>;
      if (event.type === "project-changed") return { event: "project", data: { isDeployed: event.isDeployed } };
      return toWireChatEvent(event, { id: "chat", projectId: "project" });
    },
  });
  readonly #shell: Shell<ProjectState, ChatEffect> = createShell<ProjectState, ChatEffect>(this.ctx, this.#db, {
    load: () => this.#load(),
    save: (before, after) => this.#save(before, after),
    onCommitted: this.#chat.subscribers.publish,
    perform: async (effect) => {
      if (effect.type === "start-turn") this.#kv.put("handed", effect.id);
      if (effect.type === "stop-turn" || effect.type === "release-sandbox" || effect.type === "deliver-steers")
        await performTurnEffect(this.#turnEffectHost, effect);
    },
    parking: createParking(this.ctx, this.env, "session"),
    remind: (name) => handleChatReminder(this.#chat, this.#sandbox, name),
  });
  protected readonly context = { chat: this.#chat, shell: this.#shell, store: { invalidate: () => undefined } };

  /** A message waits while a Deploy builds, because there is no agent yet to read it. */
  async send(content: string, by: Sender) {
    return this.#decide((chat, now) => {
      const ids = { messageId: createId(now), turnId: createId(now) };
      const asked = { body: createTextMessage(content), by, model: null, retriedTurnId: null };
      const checkStart = () => (this.#load().isDeployed ? null : refuse("NOT_DEPLOYED"));
      return sendMessage(chat, { ...ids, ...asked }, { checkStart }, now);
    });
  }

  async deploy(isDeployed: boolean): Promise<void> {
    this.#shell.decide((state) => decided({ ...state, isDeployed }, null));
  }

  async state(): Promise<ProjectState> {
    return this.#load();
  }

  async cancel(turnId: string, by: Actor) {
    return await cancel(this.#chat, { turnId, by });
  }

  async resume(): Promise<Refusal | null> {
    return this.#decide((chat, now) => resumeQueue(chat, { turnId: createId(now) }, now));
  }

  async updateQueue(change: QueueChange): Promise<Refusal | null> {
    return updateQueue(this.#chat, change);
  }

  async steer(messageId: string, by: Actor) {
    return await steerMessage(this.#chat, { messageId, by });
  }

  async isTurnLive(claim: TurnLinkClaim): Promise<boolean> {
    return isTurnLive(this.#chat, claim);
  }

  async isOpen(): Promise<boolean> {
    return true;
  }

  async checkTool(): Promise<Refusal> {
    return refuse("FORBIDDEN", "This agent has no tools.");
  }

  get #turnEffectHost(): TurnEffectHost {
    const turnOwner = { type: "project", id: "project" } as const;
    const usagePlace = () => ({
      workspaceId: "w",
      projectId: "project",
      owner: turnOwner,
      memberId: null,
      cronId: null,
      triggerId: null,
    });
    return {
      ...{ env: this.env, chat: this.#chat, turnOwner, usagePlace },
      start: async () => {},
      findTurnSandbox: () => this.#sandbox,
    };
  }

  get #sandbox() {
    return this.env.SANDBOX.getByName("main sandbox");
  }

  /**
   * A decision of the chat; after the end of a turn, the queue continues while the project is
   * deployed.
   */
  #decide<Result>(rule: ChatRule<Result>): Result | Refusal {
    return this.#shell.decide((state, now) => {
      const made = rule(state.chat, now);
      if (isRefusal(made)) return made;
      const goesOn = made.state.endedTurn !== null && state.isDeployed;
      const next = goesOn ? startQueuedTurn(made.state, createId(now), now) : { state: made.state, effects: [] };
      return decided({ ...state, chat: next.state }, made.result, [...made.effects, ...next.effects]);
    });
  }

  #load(): ProjectState {
    const fresh = createChatState({ model: "anthropic:opus__high", conversationId: "first" });
    const record = this.#kv.get<ChatRecord>("record") ?? fresh;
    return { isDeployed: this.#kv.get<boolean>("isDeployed") ?? true, chat: this.#chat.store.load(record) };
  }

  #save(before: ProjectState, after: ProjectState): void {
    const { model, conversationId, clearedAt, pause } = after.chat;
    this.#kv.put<ChatRecord>("record", { model, conversationId, clearedAt, pause });
    this.#kv.put("isDeployed", after.isDeployed);
    this.#chat.store.save(before.chat, after.chat);
    const owned = (state: ProjectState) => ({ chat: state.chat, owner: asEvent(state) });
    this.#chat.logChanges(before.chat, after.chat, listChatChanges(owned(before), owned(after)));
  }
}
