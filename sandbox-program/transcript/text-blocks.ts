// The text blocks of a message. Small pieces of text are batched before they are sent. A long text
// continues in a new block.
import { toolOutputBytes } from "../../src/rules/limits.ts";
import type { RedactedStream, Redaction } from "../../src/rules/redaction.ts";
import type { TurnEvent } from "../../src/sandbox-protocol/protocol.ts";
import type { Places } from "./block-positions.ts";
import { startOfText } from "./capped-text.ts";

export interface TextBlocks {
  begin(): void;
  grow(piece: string): void;
  end(): void;
  /**
   * The model's response is final: its texts keep their indexes. Void texts that it did not replace
   * become empty, so that no later response takes their indexes, which lie above its tools.
   */
  keepAnswer(): void;
  /** The model's response is void: the next response reuses the indexes of its texts. */
  voidAnswer(): void;
}

interface OpenText {
  index: number;
  bytes: number;
  isShown: boolean;
  pending: string;
}

/**
 * Small pieces of text are batched for this long. Each batch costs two written rows, and the reader
 * gets it within 300 ms.
 */
const textPauseMs = 200;
/** Well below the size limits of a row and of a link message. */
const textBlockBytes = 128 * 1_024;

/** Creates the text blocks. Changes go to `send`. */
export function createTextBlocks(places: Places, send: (event: TurnEvent) => void, redaction: Redaction): TextBlocks {
  let text: OpenText | null = null;
  let redacted: RedactedStream | null = null;
  let timer: NodeJS.Timeout | undefined;
  let answerIndexes: number[] = [];
  let voidIndexes: number[] = [];

  function openBlock(): OpenText {
    const index = voidIndexes.shift() ?? places.next();
    answerIndexes.push(index);
    return { index, bytes: 0, isShown: false, pending: "" };
  }

  function sendPending(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!text || text.pending === "") return;
    const { index, isShown, pending } = text;
    text.pending = "";
    text.isShown = true;
    if (isShown) send({ type: "text", index, delta: pending });
    else send({ type: "block", index, block: { type: "text", content: pending } });
  }

  function add(piece: string): void {
    let rest = piece;
    while (rest !== "") {
      text ??= openBlock();
      const part = startOfText(rest, textBlockBytes - text.bytes);
      text.bytes += Buffer.byteLength(part);
      text.pending += part;
      rest = rest.slice(part.length);
      // The first words are sent immediately, because the reader waits for them.
      if (!text.isShown || text.pending.length > toolOutputBytes || rest !== "") sendPending();
      if (rest !== "") text = null;
    }
    if (text && text.pending !== "") timer ??= setTimeout(sendPending, textPauseMs);
  }

  function end(): void {
    if (!redacted) return;
    add(redacted.flush());
    sendPending();
    redacted = null;
    text = null;
  }

  return {
    begin() {
      end();
      redacted = redaction.stream();
    },
    grow(piece) {
      if (redacted) add(redacted.push(piece));
    },
    end,
    keepAnswer() {
      answerIndexes = [];
      for (const index of voidIndexes) send({ type: "block", index, block: { type: "text", content: "" } });
      voidIndexes = [];
    },
    voidAnswer() {
      voidIndexes = [...voidIndexes, ...answerIndexes];
      answerIndexes = [];
    },
  };
}
