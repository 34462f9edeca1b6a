// The conversation as an object keeps it: user messages as they come, and the agent's answers block by block as they happen.

import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { newId } from "../../src/ids.ts";
import type { Block, ClarificationQuestion } from "../../src/rules/chat/block.ts";
import type { NewMessage } from "../../src/rules/chat/chat.ts";
import type { ChatEvent } from "../../src/rules/chat/live-event.ts";
import { type MessageBody, textMessage } from "../../src/rules/chat/message.ts";
import { blocks, messages } from "./tables/conversation.ts";

export interface Conversation {
  append(message: NewMessage): void;
  /** The message that started a turn. */
  firstMessageOf(turnId: string): MessageBody;
  /** What a turn asked last, in order; empty where something followed it, or it asked nothing. */
  questionsOf(turnId: string): ClarificationQuestion[];
  /** True for a message that has come into a turn of the conversation. */
  holds(turnId: string, messageId: string): boolean;
  /** Puts a block in its place, new or changed. */
  putBlock(turnId: string, place: number, block: Block, now: number): void;
  /** Adds to a text block, until it is full. */
  growText(turnId: string, place: number, delta: string): void;
}

/** An agent that asks by several calls at once asks by no more than these. */
const questionBlocksMax = 4;

/** A program begins a new block long before; one that does not fills no row of storage to the brim. */
const fullBlockBytes = 512 * 1_024;

/** Opens the conversation of an object; `tell` is told what becomes of the agent's answers. */
export function openConversation(db: DrizzleSqliteDODatabase, tell: (event: ChatEvent) => void): Conversation {
  /** The assistant message that a new block of a turn joins: the turn's newest, unless a user message came after it. */
  function answering(turnId: string, now: number): { seq: number; id: string } {
    const newest = db.select().from(messages).where(eq(messages.turnId, turnId)).orderBy(desc(messages.seq)).get();
    if (newest?.role === "assistant") return newest;
    return db
      .insert(messages)
      .values({ id: newId(now), role: "assistant", turnId, createdAt: now })
      .returning({ seq: messages.seq, id: messages.id })
      .get();
  }

  function addBlock(turnId: string, place: number, block: Block, now: number): string {
    const { seq, id } = answering(turnId, now);
    db.insert(blocks).values({ turnId, place, messageSeq: seq, block }).run();
    return id;
  }

  /** Changes a block where there is one; answers the id of its message. */
  function changeBlock(turnId: string, place: number, block: Block | SQL, onlyIf?: SQL): string | undefined {
    const here = and(eq(blocks.turnId, turnId), eq(blocks.place, place), onlyIf);
    const changed = db.update(blocks).set({ block }).where(here).returning({ seq: blocks.messageSeq }).get();
    return changed && db.select({ id: messages.id }).from(messages).where(eq(messages.seq, changed.seq)).get()?.id;
  }

  return {
    append(message) {
      db.insert(messages)
        .values({ ...message, role: "user" })
        .run();
    },
    firstMessageOf(turnId) {
      const first = db.select().from(messages).where(eq(messages.turnId, turnId)).orderBy(asc(messages.seq)).get();
      return first ? { ...first, content: first.content ?? "" } : textMessage("");
    },
    questionsOf(turnId) {
      const newest = db
        .select({ block: blocks.block })
        .from(blocks)
        .where(eq(blocks.turnId, turnId))
        .orderBy(desc(blocks.place))
        .limit(questionBlocksMax)
        .all();
      const asked: ClarificationQuestion[] = [];
      for (const { block } of newest) {
        if (block.type !== "clarification") break;
        asked.unshift(...block.clarificationData.questions);
      }
      return asked;
    },
    holds(turnId, messageId) {
      const inTurn = and(eq(messages.turnId, turnId), eq(messages.id, messageId));
      return db.select({ id: messages.id }).from(messages).where(inTurn).get() !== undefined;
    },
    putBlock(turnId, place, block, now) {
      const messageId = changeBlock(turnId, place, block) ?? addBlock(turnId, place, block, now);
      tell({ type: "answer-block", turnId, messageId, place, block });
    },
    growText(turnId, place, delta) {
      const grown = sql`json_set(block, '$.content', json_extract(block, '$.content') || ${delta})`;
      const messageId = changeBlock(
        turnId,
        place,
        grown,
        sql`block ->> '$.type' = 'text' AND octet_length(block) <= ${fullBlockBytes}`,
      );
      if (messageId) tell({ type: "answer-text", turnId, messageId, place, delta });
    },
  };
}
