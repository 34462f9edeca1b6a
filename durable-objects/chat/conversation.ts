// The stored conversation: user messages, and the agent's responses, stored block by block as they
// arrive.

import { and, asc, desc, eq, gt, inArray, lt, max, ne, type SQL, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { type Block, type ClarificationQuestion, endTool, getReply } from "../../src/chat/rules/block.ts";
import type { NewMessage } from "../../src/chat/rules/chat.ts";
import type { ChatEvent } from "../../src/chat/rules/live-event.ts";
import { createTextMessage, type SaidMessage } from "../../src/chat/rules/message.ts";
import type { Turn } from "../../src/chat/rules/turn.ts";
import { createId } from "../../src/lib/ids.ts";
import { blocks, type LinkCursor, messages } from "./tables.ts";

export interface Conversation {
  append(message: NewMessage): void;
  /** Appends a message of the service. */
  appendSystem(message: { id: string; about: string; content: string; createdAt: number }): void;
  /** The position of the newest message; 0 in an empty conversation. */
  end(): number;
  /** The user messages of a turn, in order. */
  listMessages(turnId: string): (SaidMessage & { id: string; createdAt: number })[];
  /**
   * The writers of the messages in other turns, newest first, without the texts. `saidAfter` null
   * means all messages.
   */
  writersBesides(turnId: string, saidAfter: number | null): Generator<WrittenAt>;
  /** The turn of the newest message of a trigger and a page, by `createSenderKey`; null if none. */
  findTriggeredTurn(senderKey: string): string | null;
  /** The message that started a turn. */
  getFirstMessage(turnId: string): SaidMessage;
  /** A block of a turn; null if there is none. */
  findBlock(turnId: string, place: number): Block | null;
  /** The message of a tool's block while the tool runs; null if there is no such block. */
  findRunningTool(turnId: string, place: number): string | null;
  /** The last text of a turn, with the message that it belongs to; null if none is at its end. */
  findFinalAnswer(turnId: string): { messageId: string; text: string; createdAt: number } | null;
  /** The questions at the end of a turn, in order. Empty if anything followed them. */
  listQuestions(turnId: string): ClarificationQuestion[];
  /** The text after the last tool call of a turn, which is its answer; empty without one. */
  readReply(turnId: string): string;
  /** True if this message belongs to the turn. */
  holds(turnId: string, messageId: string): boolean;
  /** Stores a new or changed block at its index, together with the link's cursor. */
  saveBlock(turnId: string, place: number, block: Block, now: number, cursor?: LinkCursor): void;
  /**
   * Appends to a text block, and stores the link's cursor with it. Returns false and stores nothing
   * if the block does not exist, is not text, or is full.
   */
  growText(turnId: string, place: number, delta: string, cursor?: LinkCursor): boolean;
  /** Ends the tools of an ended turn that its agent has left running, such as in a lost sandbox. */
  endTools(turn: Pick<Turn, "id" | "status" | "completedAt">): void;
}

/** The most clarification blocks that are read from the end of one turn. */
const questionBlocksMax = 4;
/** Questions, plans and tools that may follow the last text of a turn. */
const answerBlocksMax = 8;
const pageWriters = 50;
/** The newest blocks of a turn, among which its running tools are: an agent calls few together. */
const openToolBlocks = 32;
/** SQL: the block is a tool that runs. */
const isRunningTool = sql`block ->> '$.type' = 'tool' AND block ->> '$.status' = 'running'`;

/**
 * The program starts a new block long before this limit. The limit keeps every block below the size
 * limit of a row.
 */
const fullBlockBytes = 512 * 1_024;

/** The part of a message that says who wrote it. */
export type WrittenAt = Pick<typeof messages.$inferSelect, "seq" | "context" | "author" | "createdAt">;

/** The address of a block. */
interface Place {
  turnId: string;
  place: number;
}

/**
 * Creates the conversation of an object. `onEvent` receives each change of the agent's responses.
 */
export function createConversation(db: DrizzleSqliteDODatabase, onEvent: (event: ChatEvent) => void): Conversation {
  /** The first of these messages in the given order. */
  const messageAt = (where: SQL, order: SQL) => db.select().from(messages).where(where).orderBy(order).limit(1).get();

  /**
   * The assistant message for a new block: the newest of the turn, or a new one if a user message
   * came after it.
   */
  function answering(turnId: string, now: number): { seq: number; id: string } {
    const newest = messageAt(eq(messages.turnId, turnId), desc(messages.seq));
    if (newest?.role === "assistant") return newest;
    return db
      .insert(messages)
      .values({ id: createId(now), role: "assistant", turnId, createdAt: now })
      .returning({ seq: messages.seq, id: messages.id })
      .get();
  }

  function addBlock({ turnId, place }: Place, now: number, values: { block: Block; cursor?: LinkCursor }): string {
    const { seq, id } = answering(turnId, now);
    db.insert(blocks)
      .values({ turnId, place, messageSeq: seq, ...values })
      .run();
    return id;
  }

  /** Changes a block if it exists. Returns the id of its message. */
  function changeBlock(
    { turnId, place }: Place,
    values: { block: Block | SQL; cursor?: LinkCursor },
    onlyIf?: SQL,
  ): string | undefined {
    const here = and(eq(blocks.turnId, turnId), eq(blocks.place, place), onlyIf);
    const changed = db.update(blocks).set(values).where(here).returning({ seq: blocks.messageSeq }).get();
    return changed && db.select({ id: messages.id }).from(messages).where(eq(messages.seq, changed.seq)).get()?.id;
  }

  /** The text block that grows, with its length, so that a piece of text reads no row. */
  let growing: (Place & { length: number }) | null = null;

  /** The length of a text block; null if there is none. Forgets it until the block has grown. */
  function takeLength({ turnId, place }: Place): number | null {
    const known = growing;
    growing = null;
    if (known?.turnId === turnId && known.place === place) return known.length;
    const here = and(eq(blocks.turnId, turnId), eq(blocks.place, place));
    const block = db.select({ block: blocks.block }).from(blocks).where(here).get()?.block;
    return block?.type === "text" ? block.content.length : null;
  }

  function saveBlock(turnId: string, place: number, block: Block, now: number, cursor?: LinkCursor): void {
    const values = { block, ...(cursor && { cursor }) };
    const messageId = changeBlock({ turnId, place }, values) ?? addBlock({ turnId, place }, now, values);
    onEvent({ type: "answer-block", turnId, messageId, place, block });
    growing = block.type === "text" ? { turnId, place, length: block.content.length } : null;
  }

  return {
    append(message) {
      db.insert(messages)
        .values({ ...message, role: "user" })
        .run();
    },
    appendSystem({ about, ...message }) {
      db.insert(messages)
        .values({ ...message, turnId: about, role: "system" })
        .run();
    },
    end: () =>
      db
        .select({ seq: max(messages.seq) })
        .from(messages)
        .get()?.seq ?? 0,
    listMessages(turnId) {
      const ofUsers = and(eq(messages.turnId, turnId), eq(messages.role, "user"));
      const rows = db.select().from(messages).where(ofUsers).orderBy(asc(messages.seq)).all();
      return rows.map((row) => ({ ...row, content: row.content ?? "" }));
    },
    *writersBesides(turnId, saidAfter) {
      const { seq, context, author, createdAt } = messages;
      const others = and(eq(messages.role, "user"), ne(messages.turnId, turnId), gt(createdAt, saidAfter ?? -1));
      for (let beforeSeq = Number.MAX_SAFE_INTEGER; ; ) {
        const rows = db
          .select({ seq, context, author, createdAt })
          .from(messages)
          .where(and(others, lt(seq, beforeSeq)))
          .orderBy(desc(seq))
          .limit(pageWriters)
          .all();
        yield* rows;
        if (rows.length < pageWriters) return;
        beforeSeq = rows.at(-1)?.seq ?? 0;
      }
    },
    findTriggeredTurn(senderKey) {
      const isOf = sql`author ->> '$.triggerId' || ' ' || (author ->> '$.url') = ${senderKey}`;
      return messageAt(isOf, desc(messages.seq))?.turnId ?? null;
    },
    getFirstMessage(turnId) {
      const first = messageAt(eq(messages.turnId, turnId), asc(messages.seq));
      return first ? { ...first, content: first.content ?? "" } : { ...createTextMessage(""), author: null };
    },
    findBlock(turnId, place) {
      const here = and(eq(blocks.turnId, turnId), eq(blocks.place, place));
      return db.select({ block: blocks.block }).from(blocks).where(here).get()?.block ?? null;
    },
    findRunningTool(turnId, place) {
      const found = db
        .select({ id: messages.id })
        .from(blocks)
        .innerJoin(messages, eq(messages.seq, blocks.messageSeq))
        .where(and(eq(blocks.turnId, turnId), eq(blocks.place, place), isRunningTool))
        .get();
      return found?.id ?? null;
    },
    findFinalAnswer(turnId) {
      const newest = db
        .select({ block: blocks.block, messageId: messages.id, createdAt: messages.createdAt })
        .from(blocks)
        .innerJoin(messages, eq(messages.seq, blocks.messageSeq))
        .where(eq(blocks.turnId, turnId))
        .orderBy(desc(blocks.place))
        .limit(answerBlocksMax)
        .all();
      for (const { block, messageId, createdAt } of newest)
        if (block.type === "text" && block.content) return { messageId, text: block.content, createdAt };
      return null;
    },
    listQuestions(turnId) {
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
    readReply(turnId) {
      const last = db
        .select({ place: sql<number | null>`max(${blocks.place})` })
        .from(blocks)
        .where(and(eq(blocks.turnId, turnId), sql`${blocks.block} ->> '$.type' <> 'text'`))
        .get();
      const after = and(eq(blocks.turnId, turnId), gt(blocks.place, last?.place ?? -1));
      const said = db.select({ block: blocks.block }).from(blocks).where(after).orderBy(asc(blocks.place)).all();
      return getReply(said.flatMap(({ block }) => (block.type === "text" ? [block.content] : [])));
    },
    holds(turnId, messageId) {
      const isMessage = and(eq(messages.turnId, turnId), eq(messages.id, messageId));
      return db.select({ id: messages.id }).from(messages).where(isMessage).get() !== undefined;
    },
    saveBlock,
    growText(turnId, place, delta, cursor) {
      const at = takeLength({ turnId, place });
      if (at === null) return false;
      const grown = sql`json_set(block, '$.content', json_extract(block, '$.content') || ${delta})`;
      const messageId = changeBlock(
        { turnId, place },
        { block: grown, ...(cursor && { cursor }) },
        sql`block ->> '$.type' = 'text' AND octet_length(block) <= ${fullBlockBytes}`,
      );
      if (messageId) onEvent({ type: "answer-text", turnId, messageId, place, delta, at });
      if (messageId) growing = { turnId, place, length: at + delta.length };
      return messageId !== undefined;
    },
    endTools(turn) {
      const newest = db
        .select({ place: blocks.place })
        .from(blocks)
        .where(eq(blocks.turnId, turn.id))
        .orderBy(desc(blocks.place))
        .limit(openToolBlocks);
      const open = db
        .select({ place: blocks.place, block: blocks.block })
        .from(blocks)
        .where(and(eq(blocks.turnId, turn.id), inArray(blocks.place, newest), isRunningTool))
        .orderBy(asc(blocks.place))
        .all();
      const now = turn.completedAt ?? Date.now();
      for (const { place, block } of open)
        if (block.type === "tool") saveBlock(turn.id, place, endTool(block, turn.status === "failed", now), now);
    },
  };
}
