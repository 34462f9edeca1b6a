// Reads one page of a conversation, with the newest event that it includes. Both are read in one
// synchronous step, so that a client that continues with that event misses nothing.
import type { Block } from "../../src/chat/rules/block.ts";
import type { Message } from "../../src/chat/rules/message.ts";
import type { MessagePageRequest } from "../../src/chat/wire/message-page.ts";
import { messagePageBytes } from "../../src/rules/limits.ts";
import type { Chat } from "./chat.ts";

/** Returns the fields of a page as JSON. `afterSeq` is where the conversation begins. */
export function readMessagePage(
  { transcript, lastEventId }: Pick<Chat, "transcript" | "lastEventId">,
  { before, parts, turnId, outputCharacters }: MessagePageRequest,
  toWire: (message: Message) => object,
  afterSeq = 0,
): string {
  const limits = { bytesMax: messagePageBytes, partsMax: parts, before, turnId, afterSeq };
  const { messages, hasEarlier, begin } = transcript.newest(limits);
  const shown = messages.map(({ message, firstPlace }) => ({
    ...toWire({ ...message, blocks: message.blocks.map((block) => cutOutput(block, outputCharacters)) }),
    ...(message.role === "assistant" && { firstBlockIndex: firstPlace }),
  }));
  const next = begin && (begin.block === null ? `${begin.seq}` : `${begin.seq}.${begin.block}`);
  const page = { hasMore: hasEarlier, before: hasEarlier ? next : null, lastEventId: String(lastEventId()) };
  return JSON.stringify({ messages: shown, ...page });
}

function cutOutput(block: Block, characters: number | null): Block {
  if (characters === null || block.type !== "tool" || block.output === null) return block;
  if (block.output.length <= characters) return block;
  return { ...block, output: block.output.slice(0, characters), outputCharacters: block.output.length };
}
