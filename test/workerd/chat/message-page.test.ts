// Pages of a conversation: from the newest back, each part once, with the event to continue after.
import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { MessagePageRequest } from "../../../src/chat/wire/message-page.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import { beginSession } from "../support/session-driver.ts";

const output = "0123456789";
const call = { type: "tool", name: "bash", title: "ls", input: {}, output, fullOutputBytes: null, status: "completed" };
const block = JSON.stringify({ ...call, startedAt: "", completedAt: null });

/** Creates a session whose turns have one message each, and an answer of some blocks each. */
async function sessionWith(blocksOfAnswers: number[]) {
  const { session } = await beginSession();
  await runInDurableObject(session(), (_, { storage: { sql } }) => {
    for (const [at, count] of blocksOfAnswers.entries()) {
      const turnId = `t${at}`;
      sql.exec(
        `INSERT INTO messages (id, role, turn_id, content, created_at)
         VALUES (?, 'user', ?, 'Hello.', 0), (?, 'assistant', ?, NULL, 0)`,
        ...[`u${at}`, turnId, `a${at}`, turnId],
      );
      const { seq } = sql.exec<{ seq: number }>("SELECT max(seq) AS seq FROM messages").one();
      const insert = "INSERT INTO blocks (turn_id, place, message_seq, block) VALUES (?, ?, ?, ?)";
      for (let place = 0; place < count; place += 1) sql.exec(insert, turnId, place, seq, block);
    }
  });
  const read = async (request: Partial<MessagePageRequest> = {}) => {
    const whole = { before: null, parts: 500, turnId: null, outputCharacters: null };
    return JSON.parse(await session().messagePage({ ...whole, ...request }));
  };
  return { session, read };
}

interface Shown {
  id: string;
  blocks: { output: string; outputCharacters?: number }[];
  firstBlockIndex?: number;
}
const shown = ({ messages }: { messages: Shown[] }) =>
  messages.map(({ id, blocks, firstBlockIndex }) => [id, blocks.length, firstBlockIndex]);

const listParts = ({ messages }: { messages: Shown[] }) =>
  messages.flatMap(({ id, blocks, firstBlockIndex = 0 }) =>
    blocks.length === 0 ? [id] : blocks.map((_, index) => `${id} ${firstBlockIndex + index}`),
  );

function parsePlace(before: string): MessagePageRequest["before"] {
  const [seq = "", index] = before.split(".");
  return { seq: Number(seq), block: index === undefined ? null : Number(index) };
}

test("a page of a short conversation is all of it", async () => {
  const { read } = await sessionWith([2, 0]);
  const page = await read();
  expect(shown(page)).toEqual([
    ["u0", 0, undefined],
    ["a0", 2, 0],
    ["u1", 0, undefined],
    ["a1", 0, 0],
  ]);
  expect(page).toMatchObject({ hasMore: false, before: null, lastEventId: expect.stringMatching(/^\d+$/) });
});

test.each([1, 2, 3, 7])("pages of %i parts have every part once, in order", async (parts) => {
  const { read } = await sessionWith([3, 0, 5, 1]);
  const found: string[] = [];
  let page = await read({ parts });
  for (let pages = 0; ; pages += 1) {
    expect(pages).toBeLessThan(30);
    expect(listParts(page).length).toBeLessThanOrEqual(parts);
    found.unshift(...listParts(page));
    if (!page.hasMore) break;
    page = await read({ parts, before: parsePlace(page.before) });
  }
  expect(found).toEqual(listParts(await read()));
});

test("a page of one job has only its messages", async () => {
  const { read } = await sessionWith([1, 2, 1]);
  expect(shown(await read({ turnId: "t1" }))).toEqual([
    ["u1", 0, undefined],
    ["a1", 2, 0],
  ]);
});

test("outputs are cut to what is asked for, and say how long they are", async () => {
  const { read } = await sessionWith([1]);
  const [, cut] = (await read({ outputCharacters: 4 })).messages;
  expect(cut.blocks[0]).toMatchObject({ output: "0123", outputCharacters: 10 });
  const [, whole] = (await read({ outputCharacters: 10 })).messages;
  expect(whole.blocks[0]).toMatchObject({ output });
  expect(whole.blocks[0]).not.toHaveProperty("outputCharacters");
});

test("a stream continues after a page without a gap", async () => {
  const { session, read } = await sessionWith([1]);
  const { lastEventId } = await read();
  const subscriber = await openSubscriber(session(), null, lastEventId);
  await subscriber.catchUp();
  expect(subscriber.names()).toEqual([]);
  subscriber.leave();
});

test.each([
  ["of a client that missed events begins with a reset", "999999", false, true],
  ["that is asked for a snapshot begins with a reset", null, true, true],
  ["of a first connection has none", null, false, false],
])("a stream %s", async (_, lastEventId, wantsSnapshot, isReset) => {
  const { session } = await sessionWith([1]);
  const subscriber = await openSubscriber(session(), null, lastEventId, null, false, wantsSnapshot);
  await subscriber.catchUp();
  subscriber.leave();
  expect(subscriber.names()[0] === "reset").toBe(isReset);
});
