// A chat as an object hosts it, for any owner: its storage, its conversation, the link of its turn,
// and its subscribers. The owner applies the chat's decisions, and adds its own.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { type Actor, service } from "../../src/access/rules/actor.ts";
import type { ChatDecision, ChatState } from "../../src/chat/rules/chat.ts";
import type { LiveEvent, OwnerEvent } from "../../src/chat/rules/live-event.ts";
import { recordSteerTaken, type Steer } from "../../src/chat/rules/steer.ts";
import { isUnfinished, recordTurnStart } from "../../src/chat/rules/turn.ts";
import type { TurnEnd } from "../../src/chat/rules/turn-end.ts";
import type { WireEvent } from "../../src/chat/wire/live-event.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import type { LinkCommand } from "../../src/sandbox-protocol/protocol.ts";
import { createWaiters, type Waiters } from "../object/keyed-lock.ts";
import { type Conversation, createConversation } from "./conversation.ts";
import { createLiveEvents } from "./live-events.ts";
import { createSnapshots } from "./live-snapshot.ts";
import { createLoginCache, createPendingCounts, type LoginCache, type PendingCounts } from "./model-calls.ts";
import { type ChatStore, createChatStore } from "./store.ts";
import { createSubscribers, type Subscribers } from "./subscribers.ts";
import { createTranscript, type Transcript } from "./transcript.ts";
import { createTurnHost, type TurnHost } from "./turn-host.ts";

/** A rule that needs an existing chat. */
export type ChatRule<Result> = (chat: ChatState, now: number) => ChatDecision<Result>;

/** What a chat needs from its owner. */
export interface ChatOwner {
  /** Null before the chat exists, and after its owner is deleted. */
  find(): ChatState | null;
  /** Lets a rule decide, and applies the decision. */
  decide<Result>(by: Actor, rule: ChatRule<Result>): Result | Refusal;
  /** Ends a turn, when its agent has ended or when the service ends it. */
  endTurn(turnId: string, end: TurnEnd): void;
  /** The command that hands a steer to the sandbox. */
  createSteerCommand(steer: Steer): LinkCommand;
  /** Schedules a check of the unfinished turn for this time at the latest. */
  remindToWatch(at: number): void;
  onTargetCommit(commit: string): void;
  /** Receives the program and agent version that run a turn, for owners that store it. */
  onAgentVersion?(turnId: string, agentVersion: string): void;
  /** Receives lines of the program's log, for owners that store them. Called in a transaction. */
  onLog?(turnId: string, lines: string): void;
  /** The owner's current state as live events. */
  listOwnerEvents(): OwnerEvent[];
  toWire(event: LiveEvent): WireEvent;
}

export interface Chat {
  store: ChatStore;
  conversation: Conversation;
  transcript: Transcript;
  /** The newest live event; 0 before the first. */
  lastEventId(): number;
  /** Makes every subscriber get a snapshot, after the object was set back. */
  restartEvents(newest: number): void;
  turnHost: TurnHost;
  subscribers: Subscribers;
  waiters: Waiters;
  logins: LoginCache;
  counts: PendingCounts;
  owner: ChatOwner;
  /**
   * Logs the changes of a decision, in its transaction. `subscribers.publish` sends them
   * afterwards.
   */
  logChanges(before: ChatState | null, after: ChatState | null, events: LiveEvent[]): void;
}

/** The time that a lost link has to reconnect before the sandbox is checked. */
const linkGraceMs = 2_000;

/**
 * Creates the chat of an object. An unfinished turn without a link, such as after a restart of the
 * object, is checked soon.
 */
export function createChat(ctx: DurableObjectState, db: DrizzleSqliteDODatabase, owner: ChatOwner): Chat {
  const log = createLiveEvents(ctx.storage);
  const conversation = createConversation(db, log.append);
  const store = createChatStore(db, conversation);
  const waiters = createWaiters();
  const counts = createPendingCounts(ctx);
  const { turn } = store;
  const { find, listOwnerEvents, toWire } = owner;
  const snapshots = createSnapshots(db, { log, find, listOwnerEvents, turn });
  const newestTurn = () => find()?.turn ?? null;
  const subscribers = createSubscribers(ctx, {
    ...{ log, snapshots, turn, newestTurn, toWire },
    onReader(turnId) {
      const read = turnId ?? newestTurn()?.id;
      if (read !== undefined) turnHost.command(read, { type: "show_outputs" });
    },
  });
  const watchSoon = () => owner.remindToWatch(Date.now() + linkGraceMs);
  const turnHost = createTurnHost(ctx, db, {
    conversation,
    isLive({ turnId, generation }) {
      const found = turn(turnId);
      return isUnfinished(found) && generation >= found.generation;
    },
    onStarted(claim, agentVersion) {
      owner.decide(service, (chat, now) => recordTurnStart(chat, claim, now));
      owner.onAgentVersion?.(claim.turnId, agentVersion);
    },
    onEnded({ turnId }, end) {
      counts.flush();
      owner.endTurn(turnId, end);
    },
    onTargetCommit: owner.onTargetCommit,
    onSteered({ turnId }, steerId, outcome) {
      // A returned steer stays until the turn ends. The end follows immediately, and puts all
      // returned steers back in order.
      if (outcome === "taken") owner.decide(service, (chat, now) => recordSteerTaken(chat, { turnId, steerId }, now));
    },
    commandsFor: ({ turnId }) =>
      find()?.turn?.stopRequestedAt ? [{ type: "stop" }] : listSteers(find(), turnId).map(owner.createSteerCommand),
    onLog: (turnId, lines) => owner.onLog?.(turnId, lines),
    onLinkLost: watchSoon,
    isRead: subscribers.isRead,
    onOutput: subscribers.showOutput,
  });
  void ctx.blockConcurrencyWhile(async () => {
    const newest = newestTurn();
    if (isUnfinished(newest) && !turnHost.isLinked(newest.id)) watchSoon();
  });
  return {
    store,
    conversation,
    transcript: createTranscript(db),
    lastEventId: () => log.span().newest,
    restartEvents(newest) {
      const [event] = listOwnerEvents();
      if (event) log.restartAfter(Math.max(newest, log.span().newest), event);
    },
    turnHost,
    subscribers,
    waiters,
    logins: createLoginCache(),
    counts,
    owner,
    logChanges(before, after, events) {
      if (after?.endedTurn) conversation.endTools(after.endedTurn);
      for (const event of events) log.append(event);
      for (const id of endedBetween(before, after)) waiters.settle(id);
    },
  };
}

/** The steers that a turn's agent has not taken yet. */
export function listSteers(chat: ChatState | null, turnId: string): Steer[] {
  return chat?.steers.filter((steer) => steer.turnId === turnId) ?? [];
}

/** The ids of what a decision settled: a turn, or steers. */
function endedBetween(before: ChatState | null, after: ChatState | null): string[] {
  const open = new Set(after?.steers.map(({ steerId }) => steerId));
  const settled = before?.steers.map(({ steerId }) => steerId).filter((steerId) => !open.has(steerId)) ?? [];
  return after?.endedTurn ? [...settled, after.endedTurn.id] : settled;
}
