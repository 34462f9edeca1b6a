// The newest messages of a conversation, or those before a place in it, limited in bytes and in
// number: one page of a conversation of any length.
import { and, desc, eq, gt, lt, lte, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { Block } from "../../src/chat/rules/block.ts";
import type { Message } from "../../src/chat/rules/message.ts";
import { blocks, messages } from "./tables.ts";

export interface NewestMessage {
  message: Message;
  /** The index of the first included block among the blocks of its turn. */
  firstPlace: number;
}

export interface NewestLimits {
  bytesMax: number;
  messagesMax?: number;
  /** The most parts: blocks, and messages without blocks. */
  partsMax?: number;
  /** The page ends before this place; at the end of the conversation by default. */
  before?: PlaceBefore | null;
  /** Only the messages of this turn. */
  turnId?: string | null;
  /** Only the messages after this position. */
  afterSeq?: number;
}

/** A place in a conversation: before a message, or before one of its blocks. */
export interface PlaceBefore {
  seq: number;
  block: number | null;
}

export interface NewestMessages {
  /** Oldest first. The first one may lack its earlier blocks. */
  messages: NewestMessage[];
  hasEarlier: boolean;
  /** Where the page begins; null if it is empty. */
  begin: PlaceBefore | null;
}

/** Page sizes are small because one message may have 800 KB, and so may one block. */
const pageMessages = 4;
const pageBlocks = 16;

const encoder = new TextEncoder();
const countBytes = (text: string) => encoder.encode(text).length;

/**
 * Reads the newest messages, starting with the newest. The newest block or message is read whatever
 * its size.
 */
export function readNewestMessages(
  db: DrizzleSqliteDODatabase,
  {
    bytesMax,
    messagesMax = Number.POSITIVE_INFINITY,
    partsMax = Number.POSITIVE_INFINITY,
    before = null,
    turnId = null,
    afterSeq = 0,
  }: NewestLimits,
): NewestMessages {
  const newest: NewestMessage[] = [];
  let left = bytesMax;
  let partsLeft = partsMax;
  let isEmpty = true;
  let begin: PlaceBefore | null = null;

  /** Reserves a part of this many bytes. Returns false if there is no room for it. */
  function take(bytes: number): boolean {
    if (partsLeft === 0 || (!isEmpty && bytes > left)) return false;
    isEmpty = false;
    left -= bytes;
    partsLeft -= 1;
    return true;
  }

  /** The newest blocks of a message that fit, in order. */
  function readBlocks(messageSeq: number): { taken: Block[]; firstPlace: number; isWhole: boolean } {
    const taken: Block[] = [];
    let firstPlace = messageSeq === before?.seq ? (before.block ?? 0) : Number.MAX_SAFE_INTEGER;
    for (;;) {
      const rows = db
        .select({ place: blocks.place, block: sql<string>`${blocks.block}` })
        .from(blocks)
        .where(and(eq(blocks.messageSeq, messageSeq), lt(blocks.place, firstPlace)))
        .orderBy(desc(blocks.place))
        .limit(pageBlocks)
        .all();
      for (const { place, block } of rows) {
        if (!take(countBytes(block))) return { taken: taken.reverse(), firstPlace, isWhole: false };
        taken.push(JSON.parse(block) as Block);
        firstPlace = place;
      }
      if (rows.length < pageBlocks) return { taken: taken.reverse(), firstPlace, isWhole: true };
    }
  }

  /** Returns true if the whole message was added, so that an earlier one may fit too. */
  function add({ seq, ...message }: typeof messages.$inferSelect): boolean {
    const { taken, firstPlace, isWhole } = readBlocks(seq);
    const hasRoom = taken.length > 0 || (isWhole && take(countBytes(message.content ?? "")));
    if (hasRoom) {
      newest.push({ message: { ...message, blocks: taken }, firstPlace: taken.length > 0 ? firstPlace : 0 });
      begin = { seq, block: isWhole ? null : firstPlace };
    }
    return hasRoom && isWhole;
  }

  const result = (hasEarlier: boolean) => ({ messages: newest.reverse(), hasEarlier, begin });
  const ofTurn = turnId === null ? undefined : eq(messages.turnId, turnId);
  // A page that ends inside a message has the earlier blocks of that message.
  const isInside = before !== null && before.block !== null;
  let upTo = isInside ? lte(messages.seq, before.seq) : lt(messages.seq, before?.seq ?? Number.MAX_SAFE_INTEGER);
  for (;;) {
    const page = db
      .select()
      .from(messages)
      .where(and(upTo, ofTurn, gt(messages.seq, afterSeq)));
    const rows = page.orderBy(desc(messages.seq)).limit(pageMessages).all();
    for (const row of rows) if (newest.length === messagesMax || !add(row)) return result(true);
    if (rows.length < pageMessages) return result(false);
    upTo = lt(messages.seq, rows.at(-1)?.seq ?? 0);
  }
}
