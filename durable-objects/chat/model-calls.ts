// The answered model calls of a chat. Each is counted once: in its turn, in the chat, and in the usage of the workspace.
import { eq, sum } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { catalogEntry } from "../../src/models/catalog.ts";
import { service } from "../../src/rules/access/actor.ts";
import { countCall as countInTurn } from "../../src/rules/chat/turn.ts";
import { decided } from "../../src/rules/decision.ts";
import { usageOf } from "../../src/rules/model/usage.ts";
import type { Chat } from "./chat.ts";
import type { AnsweredCall } from "./rpc.ts";
import { modelCalls } from "./tables/model-calls.ts";

export type ModelCallRow = typeof modelCalls.$inferSelect;

export interface ModelCalls {
  /** False for a call that was counted before. */
  add(call: ModelCallRow): boolean;
  /** Those of one turn, command or piece of work. */
  of(workId: string): ModelCallRow[];
  /** What all of them cost, in nano-dollars. */
  spentNanoUsd(): number;
}

/** Opens the model calls of a chat. */
export function openModelCalls(db: DrizzleSqliteDODatabase): ModelCalls {
  return {
    add: (call) =>
      db.insert(modelCalls).values(call).onConflictDoNothing().returning({ id: modelCalls.id }).all().length > 0,
    of: (workId) => db.select().from(modelCalls).where(eq(modelCalls.workId, workId)).all(),
    spentNanoUsd() {
      const total = db
        .select({ nanoUsd: sum(modelCalls.nanoUsd) })
        .from(modelCalls)
        .get();
      return Number(total?.nanoUsd ?? 0);
    },
  };
}

/** Counts an answered call. The effect `index-usage` tells the workspace. */
export function countCall({ owner, store }: Pick<Chat, "owner" | "store">, call: AnsweredCall): void {
  const { id, workId, payer, tokens, memberId = null } = call;
  owner.decide(service, (chat, now) => {
    const turn = store.turn(workId);
    const model = turn?.model ?? call.model ?? chat.model;
    const price = model === null ? null : (catalogEntry(model)?.price ?? null);
    const usage = usageOf(tokens, price, payer);
    const { inputTokens, cachedTokens, outputTokens, nanoUsd } = usage;
    const row = { id, workId, memberId, model, payer, inputTokens, cachedTokens, outputTokens, nanoUsd, at: now };
    if (!store.calls.add(row)) return decided(chat, null);
    const isNewest = turn !== null && turn.id === chat.turn?.id;
    // A stopped turn's last call may end when the next turn has begun.
    if (turn !== null && !isNewest) store.saveTurn(countInTurn(turn, usage));
    const counted = isNewest ? { ...chat, turn: countInTurn(turn, usage) } : chat;
    return decided(counted, null, [{ type: "index-usage", workId }]);
  });
}
