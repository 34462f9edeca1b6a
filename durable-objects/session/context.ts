// The context of a session object: what its calls work with. Decisions are made here, so that a
// repeated request gets its first result.
import migrations from "../../migrations/session/migrations.js";
import { type Actor, service } from "../../src/access/rules/actor.ts";
import { isListed } from "../../src/activity/rules/activity.ts";
import { type SessionLiveEvent, toWireSessionEvent } from "../../src/chat/wire/live-event.ts";
import { formatReviewFeedback } from "../../src/checkout/rules/review-comment.ts";
import type { Env } from "../../src/env.ts";
import { createId } from "../../src/lib/ids.ts";
import { listSessionNotifications } from "../../src/notification/rules/audience.ts";
import type { Decision } from "../../src/rules/decision.ts";
import type { SessionEffect } from "../../src/rules/effect.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { listActivityEvents } from "../../src/session/rules/activity-events.ts";
import { listSessionChanges, toSessionEvent } from "../../src/session/rules/live-event.ts";
import { listTurnsToIndex } from "../../src/session/rules/message-search.ts";
import { recordNeedsYouSince } from "../../src/session/rules/needs-you.ts";
import { recordTargetCommit } from "../../src/session/rules/pull-request/code-host-event.ts";
import { watchStaleness } from "../../src/session/rules/pull-request/stale.ts";
import type { SessionState } from "../../src/session/rules/session.ts";
import { applyTurnDecision, endTurn } from "../../src/session/rules/turn-end.ts";
import { withCombinedWrites } from "../../src/storage/combined-database.ts";
import { listAnswerReminders } from "../../src/trigger/rules/answer.ts";
import { createSequence, listSessionWebhookEvents } from "../../src/webhook/rules/session-events.ts";
import { createWebhookSender, type WebhookSender } from "../../src/webhook/send.ts";
import { type Chat, createChat } from "../chat/chat.ts";
import { createSteerCommand } from "../chat/steer-command.ts";
import { getDatabase } from "../object/database.ts";
import {
  createIdempotentResults,
  createOnce,
  type IdempotentResults,
  type Once,
} from "../object/idempotent-results.ts";
import { createKeyedLock, type KeyedLock } from "../object/keyed-lock.ts";
import { createParking } from "../object/parking.ts";
import { createShell, type Shell } from "../object/shell.ts";
import { handleSessionReminder, performSessionEffect } from "./effects.ts";
import { createFilings, type FilingStore } from "./file-session.ts";
import { createRecovery } from "./restore.ts";
import {
  type BranchHeadStore,
  createBranchHeads,
  createRecordedEvents,
  createReviewComments,
  createSessionStore,
  type ReviewComments,
  type SessionStore,
} from "./store.ts";

/** A rule on a session that may not exist yet. */
type BeginningRule<Result> = (
  state: SessionState | null,
  now: number,
) => Decision<SessionState | null, Result, SessionEffect>;

/** A rule on an existing session. */
export type SessionRule<Result> = (
  state: SessionState,
  now: number,
) => Decision<SessionState | null, Result, SessionEffect>;

export interface SessionContext {
  env: Env;
  store: SessionStore;
  chat: Chat;
  reviewComments: ReviewComments;
  branchHeads: BranchHeadStore;
  filings: FilingStore;
  /** How much of the newest turn's events webhooks have, by its id. */
  sentOfTurns: Map<string, string>;
  sendToWebhooks: WebhookSender;
  shell: Shell<SessionState | null, SessionEffect>;
  results: IdempotentResults;
  /** Lets a rule decide on an existing session, on behalf of an actor. */
  decide<Result>(by: Actor, rule: SessionRule<Result>): Result | Refusal;
  /** Like `decide`, but a repeat gets the first result. */
  decideOnce<Result>(by: Actor, repeat: Idempotency | null, rule: SessionRule<Result>): Result | Refusal;
  /** Like `decideOnce`, for a session that may not exist yet. */
  startOnce<Result>(by: Actor, repeat: Idempotency | null, rule: BeginningRule<Result>): Result | Refusal;
  once: Once;
  /** Runs work under one key one at a time. */
  withLock: KeyedLock;
  /**
   * Runs a change that takes a while. Other changes are refused with SESSION_UPDATING meanwhile.
   */
  exclusively<Result>(change: () => Promise<Result>): Promise<Result | Refusal>;
  /** Refuses while an exclusive change runs. */
  checkIdle(): Refusal | null;
}

export const noSession = refuse("NOT_FOUND", "There is no such session.");

/** Creates the context of an object. */
export function createSessionContext(ctx: DurableObjectState, bindings: Env): SessionContext {
  const env = { ...bindings, DB: withCombinedWrites(bindings.DB) };
  const db = getDatabase(ctx, migrations);
  const results = createIdempotentResults(db);
  const reviewComments = createReviewComments(db);
  const recorded = createRecordedEvents(db);
  const sequence = createSequence();
  let isChanging = false;

  const chat: Chat = createChat(ctx, db, {
    find: () => store.find()?.chat ?? null,
    decide: (by, rule) =>
      context.decide(by, (state, now) =>
        applyTurnDecision(state, rule(state.chat, now), { nextTurnId: createId(now) }, now),
      ),
    endTurn: (turnId, end) =>
      void context.decide(service, (state, now) => endTurn(state, { turnId, end, nextTurnId: createId(now) }, now)),
    createSteerCommand(steer) {
      const comments = reviewComments.unresolved(steer.message.context.reviewCommentIds);
      const model = chat.store.turn(steer.turnId)?.model ?? null;
      return createSteerCommand(env, steer, model, formatReviewFeedback(comments));
    },
    remindToWatch: (at) => shell.remindBy("watch-turn", at),
    onTargetCommit: (commit) => void context.decide(service, (state) => recordTargetCommit(state, commit)),
    listOwnerEvents: () => [store.find()].flatMap((state) => (state ? [toSessionEvent(state)] : [])),
    toWire(event) {
      const { id = "", projectId = "" } = store.find()?.session ?? {};
      return toWireSessionEvent(event as SessionLiveEvent, { id, projectId }, env.PUBLIC_URL);
    },
  });
  const store = createSessionStore(db, chat.store);

  const shell: SessionContext["shell"] = createShell<SessionState | null, SessionEffect>(ctx, db, {
    load: store.find,
    save(before, after) {
      store.save(before, after);
      chat.logChanges(before?.chat ?? null, after?.chat ?? null, listSessionChanges(before, after));
    },
    onCommitted: chat.subscribers.publish,
    onRolledBack: store.invalidate,
    perform: (effect) => performSessionEffect(context, effect),
    parking: createParking(ctx, env, "session"),
    remind: (name) => handleSessionReminder(context, name),
  });

  /**
   * The decision of a rule, with effects that send the actor's events to the feed, to webhooks and
   * to people.
   */
  function withEvents<Result>(by: Actor, rule: BeginningRule<Result>): BeginningRule<Result> {
    return (state, now) => {
      const decided = rule(state, now);
      if (isRefusal(decided)) return decided;
      const after = decided.state && recordNeedsYouSince(state, decided.state, now);
      const decision = { ...decided, state: after };
      const events = recorded.take(listActivityEvents(state, decision.state, by, now), now);
      const sent = listSessionWebhookEvents(state, decision.state, {
        by,
        now,
        publicUrl: env.PUBLIC_URL,
        sequence,
      }).map((event) => ({ ...event, id: createId(now) }));
      const reminders = [
        ...watchStaleness(state, decision.state, now),
        ...listAnswerReminders(state, decision.state, now),
      ];
      const indexing = listTurnsToIndex(state, decision.state).map((id) => ({ type: "index-messages" as const, id }));
      if (events.length + sent.length + reminders.length + indexing.length === 0) return decision;
      const listed = events.filter(isListed);
      const first = listed[0] ?? sent[0];
      const recording = first ? [{ type: "record-events" as const, id: first.id, events: listed, sent }] : [];
      const notifications = decision.state === null ? [] : listSessionNotifications(events, decision.state, now);
      const notifying = notifications.map((notice) => ({ type: "tell-people" as const, id: notice.id, notice }));
      return { ...decision, effects: [...reminders, ...decision.effects, ...indexing, ...recording, ...notifying] };
    };
  }

  const context: SessionContext = {
    env,
    store,
    chat,
    reviewComments,
    branchHeads: createBranchHeads(db),
    filings: createFilings(db),
    sentOfTurns: new Map(),
    sendToWebhooks: createWebhookSender(env),
    shell,
    results,
    decide: (by, rule) => shell.decide(withEvents(by, (state, now) => (state ? rule(state, now) : noSession))),
    decideOnce: (by, repeat, rule) =>
      context.startOnce(by, repeat, (state, now) => (state ? rule(state, now) : noSession)),
    startOnce: (by, repeat, rule) => context.once.decide(repeat, () => shell.decide(withEvents(by, rule))),
    once: createOnce(results),
    withLock: createKeyedLock(),
    async exclusively(change) {
      if (isChanging) return refuse("SESSION_UPDATING");
      isChanging = true;
      try {
        return await change();
      } finally {
        isChanging = false;
      }
    },
    checkIdle: () => (isChanging ? refuse("SESSION_UPDATING") : null),
  };
  const recovery = createRecovery(ctx, context);
  void ctx.blockConcurrencyWhile(async () => {
    await recovery.settleBeforeEffects();
    await shell.resume();
  });
  return context;
}
