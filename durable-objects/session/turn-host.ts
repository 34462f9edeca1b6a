// The turn host of a session: what comes over a turn's link becomes a decision of the session's rules.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { newId } from "../../src/ids.ts";
import type { ChatDecision, ChatState } from "../../src/rules/chat/chat.ts";
import { type Steer, steerTaken } from "../../src/rules/chat/steer.ts";
import { isUnfinished, turnStarted } from "../../src/rules/chat/turn.ts";
import { noteTargetCommit } from "../../src/rules/pull-request/code-host-event.ts";
import { isCommandRunning } from "../../src/rules/session/runtime-command.ts";
import { endTurn } from "../../src/rules/session/turn-end.ts";
import type { TurnLinkClaim } from "../../src/sandbox/link-event.ts";
import type { LinkCommand } from "../../src/sandbox/protocol.ts";
import type { Conversation } from "../chat/conversation.ts";
import { openTurnHost, type TurnHost } from "../chat/turn-host.ts";
import type { SessionRule } from "./context.ts";
import type { SessionStore } from "./store.ts";

export interface SessionTurnHostParts {
  store: SessionStore;
  conversation: Conversation;
  decide(rule: SessionRule<unknown>): void;
  decideChat(rule: (chat: ChatState, now: number) => ChatDecision<unknown>): void;
  /** What hands a steer to the sandbox. */
  steerCommand(steer: Steer): LinkCommand;
  /** Has the unfinished turn looked at by then, rather than when its time comes. */
  watchBy(at: number): void;
}

/** A link that was cut is given this long to come back before the sandbox is looked at. */
const linkGraceMs = 2_000;

/** Opens the turn host. An unfinished turn that an earlier life of the object left without a link is looked at soon. */
export function openSessionTurnHost(
  ctx: DurableObjectState,
  db: DrizzleSqliteDODatabase,
  { store, conversation, decide, decideChat, steerCommand, watchBy }: SessionTurnHostParts,
): TurnHost {
  const watchSoon = () => watchBy(Date.now() + linkGraceMs);
  const turnHost = openTurnHost(ctx, db, {
    conversation,
    isLive({ turnId, generation }) {
      const turn = store.turn(turnId);
      return isUnfinished(turn) && generation >= turn.generation;
    },
    started: (claim) => decideChat((chat, now) => turnStarted(chat, claim, now)),
    ended: ({ turnId }, end) => decide((state, now) => endTurn(state, { turnId, end, nextTurnId: newId(now) }, now)),
    onTargetCommit: (commit) => decide((state) => noteTargetCommit(state, commit)),
    steered({ turnId }, steerId, outcome) {
      // One that is returned waits for the end of the turn, which follows at once and puts all of them back in their order.
      if (outcome === "taken") decideChat((chat, now) => steerTaken(chat, { turnId, steerId }, now));
    },
    steersFor({ turnId }) {
      const steers = store.find()?.chat.steers.filter((steer) => steer.turnId === turnId) ?? [];
      return steers.map(steerCommand);
    },
    linkLost: watchSoon,
  });
  void ctx.blockConcurrencyWhile(async () => {
    const turn = store.find()?.chat.turn ?? null;
    if (isUnfinished(turn) && !turnHost.isLinked(turn.id)) watchSoon();
  });
  return turnHost;
}

/** True while the turn, or the command of this id, is one whose agent may do something outside its sandbox. */
export function isTurnLive(store: Pick<SessionStore, "find" | "turn">, { turnId, generation }: TurnLinkClaim): boolean {
  const { session } = store.find() ?? {};
  if (session?.command?.id === turnId) return isCommandRunning(session);
  const turn = store.turn(turnId);
  return isUnfinished(turn) && turn.stopRequestedAt === null && generation >= turn.generation;
}
