// The newest messages of a conversation, limited in bytes and in number: what a page shows of a
// conversation of any length.
import { and, desc, eq, lt, sql } from "drizzle-orm";
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
  messagesMax: number;
}

export interface NewestMessages {
  /** Oldest first. The first one may lack its earlier blocks. */
  messages: NewestMessage[];
  hasEarlier: boolean;
}

/** Page sizes are small because one message may have 800 KB, and so may one block. */
const pageMessages = 4;
const pageBlocks = 16;

const encoder = new TextEncoder();
const bytesOf = (text: string) => encoder.encode(text).length;

/**
 * Reads the newest messages, starting with the newest. The newest block or message is read whatever
 * its size.
 */
export function readNewestMessages(
  db: DrizzleSqliteDODatabase,
  { bytesMax, messagesMax }: NewestLimits,
): NewestMessages {
  const newest: NewestMessage[] = [];
  let left = bytesMax;
  let isEmpty = true;

  /** Reserves this many bytes. Returns false if there is no room for them. */
  function take(bytes: number): boolean {
    if (!isEmpty && bytes > left) return false;
    isEmpty = false;
    left -= bytes;
    return true;
  }

  /** The newest blocks of a message that fit, in order. */
  function blocksOf(messageSeq: number): { taken: Block[]; firstPlace: number; isWhole: boolean } {
    const taken: Block[] = [];
    let firstPlace = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const rows = db
        .select({ place: blocks.place, block: sql<string>`${blocks.block}` })
        .from(blocks)
        .where(and(eq(blocks.messageSeq, messageSeq), lt(blocks.place, firstPlace)))
        .orderBy(desc(blocks.place))
        .limit(pageBlocks)
        .all();
      for (const { place, block } of rows) {
        if (!take(bytesOf(block))) return { taken: taken.reverse(), firstPlace, isWhole: false };
        taken.push(JSON.parse(block) as Block);
        firstPlace = place;
      }
      if (rows.length < pageBlocks) return { taken: taken.reverse(), firstPlace, isWhole: true };
    }
  }

  /** Returns true if the whole message was added, so that an earlier one may fit too. */
  function add({ seq, ...message }: typeof messages.$inferSelect): boolean {
    const { taken, firstPlace, isWhole } = blocksOf(seq);
    const hasRoom = taken.length > 0 || (isWhole && take(bytesOf(message.content ?? "")));
    if (hasRoom) newest.push({ message: { ...message, blocks: taken }, firstPlace: taken.length > 0 ? firstPlace : 0 });
    return hasRoom && isWhole;
  }

  for (let beforeSeq = Number.MAX_SAFE_INTEGER; ; ) {
    const page = db.select().from(messages).where(lt(messages.seq, beforeSeq));
    const rows = page.orderBy(desc(messages.seq)).limit(pageMessages).all();
    for (const row of rows)
      if (newest.length === messagesMax || !add(row)) return { messages: newest.reverse(), hasEarlier: true };
    if (rows.length < pageMessages) return { messages: newest.reverse(), hasEarlier: false };
    beforeSeq = rows.at(-1)?.seq ?? 0;
  }
}
