// The desk of a session object: what its calls work with. Decisions are made here, so that whoever waits for an end hears of it, and a
// request that comes again gets the answer it got.
import migrations from "../../migrations/session/migrations.js";
import type { Env } from "../../src/env.ts";
import { newId } from "../../src/ids.ts";
import { changesOf } from "../../src/resources/live-event.ts";
import type { ChatDecision, ChatState } from "../../src/rules/chat/chat.ts";
import type { Steer } from "../../src/rules/chat/steer.ts";
import type { Decision } from "../../src/rules/decision.ts";
import type { SessionEffect } from "../../src/rules/effect.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import type { SessionState } from "../../src/rules/session/session.ts";
import { settleTurn } from "../../src/rules/session/turn-end.ts";
import type { LinkCommand } from "../../src/sandbox/protocol.ts";
import { type Conversation, openConversation } from "../chat/conversation.ts";
import { openLiveEvents } from "../chat/live-events.ts";
import { openPictures } from "../chat/snapshot.ts";
import { openChatStore } from "../chat/store.ts";
import { openReaders, type Readers } from "../chat/subscribers.ts";
import { openTranscript, type Transcript } from "../chat/transcript.ts";
import type { TurnHost } from "../chat/turn-host.ts";
import { createEndings, type Endings } from "../chat/waiters.ts";
import { type Answers, openAnswers } from "../object/answers.ts";
import { openDatabase } from "../object/database.ts";
import { oneAtATime } from "../object/keyed-lock.ts";
import { createShell, type Shell } from "../object/shell.ts";
import { type BranchHeadsKept, openBranchHeads } from "./branch-heads.ts";
import { openReviewComments, type ReviewComments } from "./comment-store.ts";
import { mindSessionReminder, performSessionEffect } from "./effects.ts";
import { steerCommand } from "./steer-command.ts";
import { openSessionStore, type SessionStore } from "./store.ts";
import { openSessionTurnHost } from "./turn-host.ts";

/** A rule on a session that exists. */
export type SessionRule<Answer> = (
  state: SessionState,
  now: number,
) => Decision<SessionState | null, Answer, SessionEffect>;

export interface SessionDesk {
  env: Env;
  store: SessionStore;
  conversation: Conversation;
  transcript: Transcript;
  reviewComments: ReviewComments;
  branchHeads: BranchHeadsKept;
  endings: Endings;
  shell: Shell<SessionState | null, SessionEffect>;
  turnHost: TurnHost;
  answers: Answers;
  readers: Readers;
  /** What hands a steer to the sandbox, with its review comments as they are now. */
  steerCommand(steer: Steer): LinkCommand;
  /** Lets a rule decide on the session that is there. */
  decide<Answer>(rule: SessionRule<Answer>): Answer | Refusal;
  /** Lets a rule of the chat decide on the session's. */
  decideChat<Answer>(rule: (chat: ChatState, now: number) => ChatDecision<Answer>): Answer | Refusal;
  /** The same as `decide`, once for all requests that are the same. */
  decideOnce<Answer>(repeat: Idempotency | null, rule: SessionRule<Answer>): Answer | Refusal;
  /** The same on a session that may not be there yet. */
  beginOnce<Answer>(
    repeat: Idempotency | null,
    rule: (state: SessionState | null, now: number) => Decision<SessionState | null, Answer, SessionEffect>,
  ): Answer | Refusal;
  /** What the first request of this kind was answered; a refusal when its key came with another body. */
  firstAnswer(repeat: Idempotency | null): { answer: unknown } | Refusal | null;
  /** Does one thing after the other of those under one key, so that a request waits for an earlier one that is the same. */
  inTurn<Answer>(key: string, act: () => Promise<Answer>): Promise<Answer>;
  /** Does something that takes a while and that no other change may come between; SESSION_UPDATING for whatever comes then. */
  exclusively<Answer>(change: () => Promise<Answer>): Promise<Answer | Refusal>;
  /** Refuses while something of that kind is under way. */
  checkIdle(): Refusal | null;
}

export const noSession = refuse("NOT_FOUND", "There is no such session.");

/** Sets the desk up. */
export function openSessionDesk(ctx: DurableObjectState, env: Env): SessionDesk {
  const db = openDatabase(ctx, migrations);
  const log = openLiveEvents(ctx.storage);
  const conversation = openConversation(db, log.append);
  const store = openSessionStore(db, openChatStore(db, conversation));
  const answers = openAnswers(db);
  const reviewComments = openReviewComments(db);
  const endings = createEndings();
  const { find, turn } = store;
  const pictures = openPictures(db, { log, find, turn, publicUrl: env.PUBLIC_URL });
  const readers = openReaders(ctx, { log, pictures, turn, newestTurn: () => find()?.chat.turn ?? null });
  let isChanging = false;

  const shell: SessionDesk["shell"] = createShell<SessionState | null, SessionEffect>(ctx, db, {
    load: store.find,
    save(before, after) {
      store.save(before, after);
      for (const event of changesOf(before, after, env.PUBLIC_URL)) log.append(event);
      for (const key of endedBetween(before, after)) endings.tell(key);
    },
    kept: readers.publish,
    rolledBack: store.doubt,

    perform: (effect) => performSessionEffect(desk, effect),
    remind: (name) => mindSessionReminder(desk, name),
  });

  const desk: SessionDesk = {
    env,
    store,
    conversation,
    transcript: openTranscript(db),
    reviewComments,
    branchHeads: openBranchHeads(db),
    steerCommand(steer) {
      const comments = reviewComments.unresolved(steer.message.context.reviewCommentIds);
      return steerCommand(env, steer, store.turn(steer.turnId)?.model ?? null, comments);
    },
    endings,
    shell,
    answers,
    readers,
    turnHost: openSessionTurnHost(ctx, db, {
      store,
      conversation,
      steerCommand: (steer) => desk.steerCommand(steer),
      decide: (rule) => void desk.decide(rule),
      decideChat: (rule) => void desk.decideChat(rule),
      watchBy: (at) => shell.remindBy("watch-turn", at),
    }),
    decide: (rule) => shell.decide((state, now) => (state ? rule(state, now) : noSession)),
    decideChat: (rule) =>
      desk.decide((state, now) => settleTurn(state, rule(state.chat, now), { nextTurnId: newId(now) }, now)),
    decideOnce: (repeat, rule) => desk.beginOnce(repeat, (state, now) => (state ? rule(state, now) : noSession)),
    beginOnce(repeat, rule) {
      const known = desk.firstAnswer(repeat);
      if (known !== null) return isRefusal(known) ? known : (known.answer as never);
      const answer = shell.decide(rule);
      // In the same stretch as the decision, so that both are kept or neither.
      if (repeat && !isRefusal(answer)) answers.keep(repeat, answer, Date.now());
      return answer;
    },
    firstAnswer: (repeat) => repeat && answers.find(repeat, Date.now()),
    inTurn: oneAtATime(),
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
  void ctx.blockConcurrencyWhile(async () => shell.resume());
  return desk;
}

/** What a decision brought to an end: a turn, or the wait of a steer. */
function endedBetween(before: SessionState | null, after: SessionState | null): string[] {
  const open = new Set(after?.chat.steers.map(({ steerId }) => steerId));
  const settled = before?.chat.steers.map(({ steerId }) => steerId).filter((steerId) => !open.has(steerId)) ?? [];
  return after?.chat.endedTurn ? [...settled, after.chat.endedTurn.id] : settled;
}
