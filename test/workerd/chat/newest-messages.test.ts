// The newest end of a conversation: all of a short one, and of a long one what fits, from the
// newest block back.
import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { pageConversationBytes, pageConversationMessages } from "../../../src/rules/limits.ts";
import { beginSession } from "../support/session-driver.ts";

interface Planted {
  content?: string;
  blocks?: string[];
}

/** Creates a session with these messages, one turn for all, and reads the newest end. */
async function readNewest(planted: Planted[]) {
  const { session } = await beginSession();
  await runInDurableObject(session(), (_, { storage: { sql } }) => {
    let place = 0;
    for (const [at, { content = null, blocks = [] }] of planted.entries()) {
      sql.exec(
        "INSERT INTO messages (seq, id, role, turn_id, content, created_at) VALUES (?, ?, ?, 't', ?, 0)",
        ...[at + 1, `m${at}`, content === null ? "assistant" : "user", content],
      );
      for (const text of blocks)
        sql.exec(
          "INSERT INTO blocks (turn_id, place, message_seq, block) VALUES ('t', ?, ?, ?)",
          ...[place++, at + 1, JSON.stringify({ type: "text", content: text })],
        );
    }
  });
  const json = await session().newestMessages();
  const { messages, hasEarlier } = JSON.parse(json);
  const shown = messages.map(({ message: { id, blocks }, firstPlace }: { message: Shown; firstPlace: number }) => [
    ...[id, blocks.length, firstPlace],
  ]);
  return { shown, hasEarlier, bytes: new TextEncoder().encode(json).length };
}
interface Shown {
  id: string;
  blocks: unknown[];
}

const mebibyte = 2 ** 20;
const texts = (count: number, bytes: number) => Array.from({ length: count }, () => "😀".repeat(bytes / 4));

test("of a short conversation it is all, also where there is none", async () => {
  expect(await readNewest([])).toMatchObject({ shown: [], hasEarlier: false });
  const few = [{ content: "Hello." }, { blocks: ["a", "b"] }, { content: "More." }, { blocks: ["c"] }, {}];
  expect(await readNewest(few)).toMatchObject({
    shown: [
      ["m0", 0, 0],
      ["m1", 2, 0],
      ["m2", 0, 0],
      ["m3", 1, 2],
      ["m4", 0, 0],
    ],
    hasEarlier: false,
  });
});

test("of many messages it is the newest hundred", async () => {
  const { shown, hasEarlier } = await readNewest(Array.from({ length: 130 }, () => ({ content: "Hello." })));
  expect([shown.length, shown[0], hasEarlier]).toEqual([pageConversationMessages, ["m30", 0, 0], true]);
});

test.each<[string, Planted[], unknown[][]]>([
  ["messages", [{ content: "old" }, ...texts(3, mebibyte).map((content) => ({ content }))], [["m2"], ["m3"]]],
  ["blocks of one message", [{ content: "old" }, { blocks: texts(40, mebibyte / 8) }], [["m1", 15, 25]]],
  ["blocks of an earlier message", [{ blocks: texts(20, mebibyte / 4) }, { content: "new" }], [["m0", 7, 13], ["m1"]]],
  ["a block that is too large by itself", [{ content: "old" }, { blocks: texts(2, 3 * mebibyte) }], [["m1", 1, 1]]],
])("of long %s it is what fits", async (_, planted, expected) => {
  const { shown, hasEarlier, bytes } = await readNewest(planted);
  expect(hasEarlier).toBe(true);
  expect(shown.map((one: unknown[], at: number) => one.slice(0, expected[at]?.length))).toEqual(expected);
  expect(bytes).toBeLessThan(Math.max(pageConversationBytes, 3 * mebibyte) + 50_000);
});
