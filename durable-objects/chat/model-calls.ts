// The answered model calls of a chat. Each is counted once in its turn, in the chat, and in the
// usage of the workspace.
import { RpcTarget } from "cloudflare:workers";
import { and, desc, eq, gte, type SQL, sql, sum } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { service } from "../../src/access/rules/actor.ts";
import { countCall as countInTurn, getUsageReportTime, isUnfinished } from "../../src/chat/rules/turn.ts";
import { log } from "../../src/lib/log.ts";
import { findCatalogEntry } from "../../src/model/catalog.ts";
import type { ProviderId } from "../../src/model/rules/provider.ts";
import { loginsKeptMs, mayKeepLogins } from "../../src/model-gateway/rules/login-cache.ts";
import type { PayerLogins } from "../../src/provider-login/queries/logins.ts";
import { decided } from "../../src/rules/decision.ts";
import { getCallUsage, getMonth } from "../../src/usage/rules/usage.ts";
import type { Shell } from "../object/shell.ts";
import type { Chat } from "./chat.ts";
import type { AnsweredCall, CallCounter, CallPayer, OpenCall } from "./rpc.ts";
import { modelCalls } from "./tables.ts";

export type ModelCallRow = typeof modelCalls.$inferSelect;

export interface ModelCalls {
  /** Returns false for a call that was counted before. */
  add(call: Omit<ModelCallRow, "spentNanoUsd">): boolean;
  /** The calls of one turn, command or other piece of work. */
  of(workId: string): ModelCallRow[];
  /** The cost of all calls, in nano-dollars. */
  spentNanoUsd(): number;
  /**
   * The cost of the calls of one turn, command or other piece of work since a time, in
   * nano-dollars.
   */
  getCost(workId: string, since: number): number;
}

/** Creates the model calls of a chat. */
export function createModelCalls(db: DrizzleSqliteDODatabase): ModelCalls {
  function costWhere(condition?: SQL): number {
    const total = db
      .select({ nanoUsd: sum(modelCalls.nanoUsd) })
      .from(modelCalls)
      .where(condition)
      .get();
    return Number(total?.nanoUsd ?? 0);
  }

  function spentNanoUsd(): number {
    const { spentNanoUsd: spent } = modelCalls;
    const newest = db.select({ spent }).from(modelCalls).orderBy(desc(sql`rowid`)).limit(1).get();
    return newest?.spent ?? 0;
  }

  return {
    add(call) {
      const row = { ...call, spentNanoUsd: spentNanoUsd() + (call.nanoUsd ?? 0) };
      return db.insert(modelCalls).values(row).onConflictDoNothing().returning({ id: modelCalls.id }).all().length > 0;
    },
    of: (workId) => db.select().from(modelCalls).where(eq(modelCalls.workId, workId)).all(),
    spentNanoUsd,
    getCost: (workId, since) => costWhere(and(eq(modelCalls.workId, workId), gte(modelCalls.at, since))),
  };
}

/** What counting a call needs: a chat, and the effects of its object. */
interface CountingChat {
  chat: Pick<Chat, "owner" | "store" | "logins" | "counts">;
  shell: Pick<Shell<unknown, { type: "index-usage"; id: string }>, "settled">;
}

/**
 * Counts an answered call. The calls of a running turn are reported to the workspace together, at
 * intervals and at the turn's end. Any other call has been reported when this returns, unless the
 * report failed and will be retried.
 */
export async function countCall(context: CountingChat, call: AnsweredCall): Promise<void> {
  count(context, call);
  await waitForUsageReport(context, call.workId);
}

function count({ chat: { owner, store } }: CountingChat, call: AnsweredCall): void {
  const { id, workId, payer, tokens, memberId = null } = call;
  owner.decide(service, (chat, now) => {
    const turn = store.turn(workId);
    const model = turn?.model ?? call.model ?? chat.model;
    const price = model === null ? null : (findCatalogEntry(model)?.price ?? null);
    const usage = getCallUsage(tokens, price, payer);
    const { inputTokens, cachedTokens, outputTokens, nanoUsd } = usage;
    const row = { id, workId, memberId, model, payer, inputTokens, cachedTokens, outputTokens, nanoUsd, at: now };
    if (!store.calls.add(row)) return decided(chat, null);
    const isNewest = turn !== null && turn.id === chat.turn?.id;
    // A stopped turn's last call may end after the next turn has started.
    if (turn !== null && !isNewest) store.saveTurn(countInTurn(turn, usage));
    const counted = isNewest ? { ...chat, turn: countInTurn(turn, usage) } : chat;
    const isReportedLater = isNewest && isUnfinished(turn);
    return decided(counted, null, [
      isReportedLater
        ? { type: "remind", name: "tell-usage", at: getUsageReportTime(turn, now) }
        : { type: "index-usage", id: workId },
    ]);
  });
}

/**
 * Settles when the usage of a piece of work was reported to the workspace, or the report failed.
 * Null if no report is in progress.
 */
export function waitForUsageReport({ shell }: Pick<CountingChat, "shell">, workId: string): Promise<void> | null {
  return shell.settled({ type: "index-usage", id: workId });
}

/**
 * The cost of a turn's or command's calls in the month of `now`, in nano-dollars. For a turn it is
 * the sum of all of its calls.
 */
function costThisMonth({ store }: Pick<Chat, "store">, workId: string, now: number): number {
  const month = getMonth(now);
  const turn = store.turn(workId);
  return turn !== null && turn.createdAt >= month ? (turn.usage?.nanoUsd ?? 0) : store.calls.getCost(workId, month);
}

/** Begins a model call of a turn or a command. */
export function startModelCall(context: CountingChat, workId: string, { payer, provider }: CallPayer): OpenCall {
  const { logins, counts } = context.chat;
  counts.flush();
  const now = Date.now();
  const use = { workId, provider };
  return {
    type: "open",
    countedNanoUsd: payer.type === "member" ? 0 : costThisMonth(context.chat, workId, now),
    logins: payer.type === "member" ? null : logins.find(use, now),
    counter: new Counter(context, { workId, payer }, logins.keeper(use)) as unknown as CallCounter,
  };
}

class Counter extends RpcTarget {
  readonly #context: CountingChat;
  readonly #maker: Pick<AnsweredCall, "workId" | "payer">;
  readonly #keep: (logins: PayerLogins) => void;

  constructor(
    context: CountingChat,
    maker: Pick<AnsweredCall, "workId" | "payer">,
    keep: (logins: PayerLogins) => void,
  ) {
    super();
    this.#context = context;
    this.#maker = maker;
    this.#keep = keep;
  }

  async countSoon(call: Pick<AnsweredCall, "id" | "tokens">): Promise<void> {
    const { counts, store } = this.#context.chat;
    // This work is over, so no later event of it would flush a pending count.
    if (!isUnfinished(store.turn(this.#maker.workId))) return await this.count(call);
    counts.later(() => count(this.#context, { ...call, ...this.#maker }));
  }

  async count(call: Pick<AnsweredCall, "id" | "tokens">): Promise<void> {
    await countCall(this.#context, { ...call, ...this.#maker });
  }

  async cacheLogins(logins: PayerLogins): Promise<void> {
    this.#keep(logins);
  }
}

/**
 * Counts of answered model calls, delayed for a moment so that the end of a response does not wait
 * for storage. Any code that reads counts calls `flush` first.
 */
export interface PendingCounts {
  /** Schedules `count` to run soon, or earlier if counts are about to be read. */
  later(count: () => void): void;
  /** Makes the pending counts. Must be called outside of a decision. */
  flush(): void;
}

/** Creates an empty set of pending counts. */
export function createPendingCounts(ctx: Pick<DurableObjectState, "waitUntil">): PendingCounts {
  let pending: (() => void)[] = [];

  function flush(): void {
    const counts = pending;
    pending = [];
    for (const count of counts) {
      try {
        count();
      } catch (error) {
        // The reporter of the call asks whether it was counted, and reports it again.
        log.warn("model_call.count_delayed", { error });
      }
    }
  }

  return {
    later(count) {
      pending.push(count);
      if (pending.length === 1) ctx.waitUntil(scheduler.wait(0).then(flush));
    },
    flush,
  };
}

/** The work and the provider that the logins are for. */
export interface LoginsUse {
  workId: string;
  provider: ProviderId;
}

/**
 * The logins that a chat's turn caches between its model calls. They are only in memory, sealed as
 * they are in the database.
 */
export interface LoginCache {
  /** Null if the logins must be read. */
  find(use: LoginsUse, now: number): PayerLogins | null;
  /**
   * Must be called before logins are read. The function that it returns caches them, unless they
   * may not be cached or were changed since.
   */
  keeper(use: LoginsUse): (logins: PayerLogins) => void;
  forget(): void;
}

/** Caches the logins of one turn at a time. */
export function createLoginCache(): LoginCache {
  let kept: { use: LoginsUse; logins: PayerLogins; at: number } | null = null;
  /** How often the logins were forgotten. */
  let changes = 0;
  return {
    find({ workId, provider }, now) {
      const isSame = kept?.use.workId === workId && kept.use.provider === provider;
      return kept !== null && isSame && now < kept.at + loginsKeptMs ? kept.logins : null;
    },
    keeper(use) {
      const before = changes;
      const at = Date.now();
      return (logins) => {
        if (changes === before && mayKeepLogins(logins)) kept = { use, logins, at };
      };
    },
    forget() {
      changes += 1;
      kept = null;
    },
  };
}
