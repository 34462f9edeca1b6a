// The transcript: reads a conversation message by message and block by block. Only one page is in
// memory at a time, so that long conversations and long turns are safe to read.
import { and, asc, desc, eq, gt, lt, lte, type SQL, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { Block } from "../../src/chat/rules/block.ts";
import { formatAnswers } from "../../src/chat/rules/clarification.ts";
import type { Message } from "../../src/chat/rules/message.ts";
import { type NewestLimits, type NewestMessages, readNewestMessages } from "./newest-messages.ts";
import { blocks, messages } from "./tables.ts";

/** A message without its blocks, or a block of the preceding message as JSON. */
export type TranscriptPart = { message: Omit<Message, "blocks"> } | { block: string };

export interface Transcript {
  /** The parts after a position in the conversation, oldest first; all by default. */
  parts(afterSeq?: number): Generator<TranscriptPart>;
  /** The newest messages, within the given limits. */
  newest(most: NewestLimits): NewestMessages;
  /**
   * The end of the conversation before a turn, as text of limited length; null if there is none.
   */
  textBefore(beforeTurnId: string, characters: number, saidAfter: number | null): string | null;
}

type Row = typeof messages.$inferSelect;
interface BlockRow {
  messageSeq: number;
  place: number;
  block: string;
}

const pageMessages = 100;
const pageBlocks = 128;
const beyondAll = Number.MAX_SAFE_INTEGER;

/** Creates the transcript of an object. */
export function createTranscript(db: DrizzleSqliteDODatabase): Transcript {
  function page(which: SQL | undefined, order: SQL): Row[] {
    return db.select().from(messages).where(which).orderBy(order).limit(pageMessages).all();
  }

  function blockPage(which: SQL | undefined, ...order: SQL[]): BlockRow[] {
    const { messageSeq, place } = blocks;
    return db
      .select({ messageSeq, place, block: sql<string>`${blocks.block}` })
      .from(blocks)
      .where(which)
      .orderBy(...order)
      .limit(pageBlocks)
      .all();
  }

  /** The blocks of the messages after one position and up to another, in order. */
  function* blocksAmong(afterSeq: number, upToSeq: number): Generator<BlockRow, undefined> {
    const { messageSeq, place } = blocks;
    for (let last = { messageSeq: afterSeq, place: beyondAll }; ; ) {
      const after = sql`(${messageSeq}, ${place}) > (${last.messageSeq}, ${last.place})`;
      const rows = blockPage(and(after, lte(messageSeq, upToSeq)), asc(messageSeq), asc(place));
      yield* rows;
      if (rows.length < pageBlocks) return;
      last = rows.at(-1) ?? last;
    }
  }

  /** The messages before a turn, newest first. */
  function* newestBefore(turnId: string, saidAfter: number | null): Generator<Row> {
    const first = db
      .select({ seq: sql<number | null>`min(${messages.seq})` })
      .from(messages)
      .where(eq(messages.turnId, turnId))
      .get();
    for (let beforeSeq = first?.seq ?? 0; ; ) {
      const rows = page(and(lt(messages.seq, beforeSeq), gt(messages.createdAt, saidAfter ?? -1)), desc(messages.seq));
      yield* rows;
      if (rows.length < pageMessages) return;
      beforeSeq = rows.at(-1)?.seq ?? 0;
    }
  }

  /** The end of a response as text: as many of its newest blocks as fit. */
  function answerAsText(messageSeq: number, characters: number): string {
    const texts: string[] = [];
    let left = characters;
    for (let beforePlace = beyondAll; left > 0; ) {
      const rows = blockPage(and(eq(blocks.messageSeq, messageSeq), lt(blocks.place, beforePlace)), desc(blocks.place));
      for (const { place, block } of rows) {
        const text = blockAsText(JSON.parse(block) as Block);
        texts.unshift(text);
        left -= text.length + 1;
        beforePlace = place;
        if (left <= 0) break;
      }
      if (rows.length < pageBlocks) break;
    }
    return texts.join("\n");
  }

  return {
    *parts(from = 0) {
      for (let afterSeq = from; ; ) {
        const rows = page(gt(messages.seq, afterSeq), asc(messages.seq));
        const last = rows.at(-1);
        if (!last) return;
        const answers = blocksAmong(afterSeq, last.seq);
        let next = answers.next().value;
        for (const { seq, ...message } of rows) {
          yield { message };
          for (; next?.messageSeq === seq; next = answers.next().value) yield { block: next.block };
        }
        afterSeq = last.seq;
      }
    },
    newest: (most) => readNewestMessages(db, most),
    textBefore(beforeTurnId, characters, saidAfter) {
      const texts: string[] = [];
      let left = characters;
      for (const { role, content, context, seq } of newestBefore(beforeTurnId, saidAfter)) {
        if (role === "system") continue;
        const said =
          role === "user" ? [formatAnswers(context.answers), content ?? ""].filter((part) => part !== "") : [];
        const text = role === "user" ? `User: ${said.join("\n\n")}` : `Assistant: ${answerAsText(seq, left)}`;
        if (text.length > left) {
          // If a text is cut, its end stays, because the end matters most.
          if (left > 1) texts.unshift(`…${text.slice(1 - left)}`);
          break;
        }
        texts.unshift(text);
        left -= text.length;
      }
      return texts.length === 0 ? null : texts.join("\n\n");
    },
  };
}

/** One block as text. */
function blockAsText(block: Block): string {
  switch (block.type) {
    case "text":
      return block.content;
    case "plan":
      return `(plan: ${block.items.map(({ title, status }) => `${title} [${status}]`).join("; ")})`;
    case "tool":
      return `(ran ${block.name}: ${block.title})`;
    case "filed_sessions":
      return `(filed: ${block.sessions.map(({ title }) => title).join("; ")})`;
    case "artifact":
      return `(wrote the ${block.kind} artifact ${block.slug}, version ${block.version}: ${block.title})`;
    case "clarification":
      return `(asked: ${block.clarificationData.questions.map(({ question }) => question).join(" ")})`;
  }
}

const chunkCharacters = 128 * 1_024;

/** The wire format of a message. */
type ToWire = (message: Message) => { blocks: unknown[] };

/**
 * Streams the messages after a position as a JSON array, oldest first; all messages by default.
 * They are read in pieces as the client consumes them, so that a long conversation needs little
 * memory.
 */
export function toMessagesJson(transcript: Transcript, toWire: ToWire, afterSeq = 0): ReadableStream<Uint8Array> {
  const pieces = jsonPieces(transcript, toWire, afterSeq);
  const encoder = new TextEncoder();
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      let chunk = "";
      while (chunk.length < chunkCharacters) {
        const { value: piece, done } = pieces.next();
        if (done) {
          controller.enqueue(encoder.encode(`${chunk}]`));
          controller.close();
          return;
        }
        chunk += piece;
      }
      controller.enqueue(encoder.encode(chunk));
    },
  });
}

function* jsonPieces({ parts }: Transcript, toWire: ToWire, afterSeq: number): Generator<string> {
  let before = "[";
  for (const part of parts(afterSeq)) {
    if ("block" in part) {
      yield before + part.block;
      before = ",";
      continue;
    }
    // Closes the previous message.
    if (before !== "[") yield "]},";
    const { blocks: _, ...rest } = toWire({ ...part.message, blocks: [] });
    yield `${before === "[" ? "[" : ""}${JSON.stringify(rest).slice(0, -1)},"blocks":[`;
    before = "";
  }
  yield before === "[" ? "[" : "]}";
}
