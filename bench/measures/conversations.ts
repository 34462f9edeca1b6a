// Reads of a whole conversation with ten and with ten thousand messages. Each is compared with a
// bare read of as many bytes, and the long one with the short one.
import type { Bare } from "../lib/bare.ts";
import type { ProductSession } from "../lib/product.ts";
import { type Finding, toComparedFinding } from "../lib/result.ts";
import { measureSideBySide, type Rounds, type Samples } from "../lib/samples.ts";

export const shortPast = 10;
export const longPast = 10_000;
/** The cost may grow linearly with the number of messages. */
const linear = longPast / shortPast;

interface Conversations {
  short: ProductSession;
  long: ProductSession;
}

/**
 * Reads the conversations of two sessions, which must have exactly the expected numbers of
 * messages.
 */
export async function measureConversations(
  { short, long }: Conversations,
  bare: Bare,
  rounds: { short: Rounds; long: Rounds },
): Promise<Finding[]> {
  const few = await readOne(short, shortPast, bare, rounds.short);
  const many = await readOne(long, longPast, bare, rounds.long);
  return [
    toComparedFinding("message read, 10 messages, against a bare GET of its size", few.whole, few.bare, null),
    toComparedFinding(
      "message read, 10,000 messages, against a bare GET of its size",
      many.whole,
      many.bare,
      null,
      many.size,
    ),
    toComparedFinding("message read, 10,000 messages against 10 (1,000 is linear)", many.whole, few.whole, linear),
    toComparedFinding(
      "message read to its first byte, 10,000 messages against 10",
      many.firstByte,
      few.firstByte,
      null,
    ),
  ];
}

async function readOne(session: ProductSession, messages: number, bare: Bare, rounds: Rounds) {
  const { bytes, text } = await session.messages();
  const held = JSON.parse(text).data.messages.length;
  if (held !== messages) throw new Error(`the conversation holds ${held} messages, not ${messages}`);
  const readBare = await bare.createReader(bytes);
  const firstByte: Samples = [];
  const samples = await measureSideBySide(rounds, {
    whole: async () => {
      const reply = await session.messages();
      firstByte.push(reply.firstByteMs);
      return reply.ms;
    },
    bare: async () => (await readBare()).ms,
  });
  return { ...samples, firstByte: firstByte.slice(rounds.warmUp), size: `${Math.round(bytes / 1_024)} KB` };
}
