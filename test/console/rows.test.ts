// The rows of a turn: their order, and what folds.
import type { Schemas, ShownMessage } from "@switchyard/client";
import { expect, test } from "vitest";
import { cutRows, findFailedTool, groupRows, listRows, readRow } from "../../console/src/conversation/rows.ts";
import { joinMessages, listTurns, readBeginning } from "../../console/src/conversation/turns.ts";

type Block = Schemas["Block"];
const text = (content: string): Block => ({ type: "text", content });
const tool = (title: string, status: Schemas["ToolBlock"]["status"] = "completed") =>
  ({ type: "tool", name: "bash", title, status, input: {}, output: "" }) as Schemas["ToolBlock"];
const plan = (title: string): Block => ({ type: "plan", items: [{ title, status: "pending" }] });

const answer = (id: string, blocks: Block[], firstBlockIndex = 0) =>
  ({
    id,
    jobId: "j",
    role: "assistant",
    content: null,
    blocks,
    firstBlockIndex,
    delivery: null,
  }) as unknown as ShownMessage;
const message = (id: string, delivery: "job" | "steer", jobId = "j") =>
  ({ id, jobId, role: "user", content: id, blocks: [], firstBlockIndex: 0, delivery }) as unknown as ShownMessage;

/** The rows in short: a fold as the number of its tools. */
const show = (blocks: Block[], kept: string[] = []) =>
  listRows([answer("a", blocks)], new Set(kept)).map((row) => (row.kind === "fold" ? row.tools.length : row.kind));

test.for<[what: string, blocks: Block[], rows: (string | number)[]]>([
  ["nothing", [], []],
  ["one tool stays a row", [tool("a")], ["tool"]],
  ["tools in a row fold", [tool("a"), tool("b"), tool("c")], [3]],
  ["a text parts them", [tool("a"), tool("b"), text("t"), tool("c")], [2, "text", "tool"]],
  ["an empty text does not", [tool("a"), text(" \n"), tool("b")], [2]],
  ["a failed one does not fold", [tool("a"), tool("b", "failed"), tool("c"), tool("d")], ["tool", "tool", 2]],
  ["a running one does not fold", [tool("a"), tool("b"), tool("c", "running")], [2, "tool"]],
  ["a stopped one does not fold", [tool("a", "cancelled"), tool("b", "cancelled")], ["tool", "tool"]],
  ["the newest plan counts", [plan("one"), tool("a"), plan("two"), tool("b")], ["tool", "plan", "tool"]],
  ["a block of another kind", [{ type: "hologram" } as unknown as Block, text("t")], ["text"]],
])("%s", ([, blocks, rows]) => {
  expect(show(blocks)).toEqual(rows);
});

test("what a person keeps open does not fold", () => {
  expect(show([tool("a"), tool("b"), tool("c"), tool("d")], ["a:1"])).toEqual(["tool", "tool", 2]);
});

test("a steer is where it came; the message that began the turn is not a row", () => {
  const rows = listRows([
    message("m", "job"),
    answer("a", [tool("x")]),
    message("s", "steer"),
    answer("b", [tool("y")], 1),
  ]);
  expect(rows.map(({ key }) => key)).toEqual(["a:0", "s", "b:1"]);
});

test("the last failed tool is the one that a failed turn shows", () => {
  const rows = listRows([answer("a", [tool("x", "failed"), tool("y", "failed"), text("t")])]);
  expect(findFailedTool(rows)).toBe("a:1");
  expect(findFailedTool(listRows([answer("a", [tool("x")])]))).toBeNull();
});

test("a long list begins with its end, unless little is left out", () => {
  const rows = listRows([
    answer(
      "a",
      Array.from({ length: 20 }, (_, at) => text(`${at}`)),
    ),
  ]);
  expect(cutRows(rows, 16)).toMatchObject({ hidden: 0, rows: { length: 20 } });
  const { hidden, rows: shown } = cutRows(rows, 10);
  expect([hidden, shown.length, shown[0]?.key]).toEqual([10, 10, "a:10"]);
});

test("the groups of rows keep their bounds when rows come before and after them", () => {
  const blocks = (count: number) => Array.from({ length: count }, (_, at) => text(`${at}`));
  const group = (count: number, begin = 0) =>
    groupRows(listRows([answer("a", blocks(count).slice(begin), begin), message("s", "steer")])).map(
      ({ key, rows }) => `${key} ${rows.length}`,
    );
  expect(group(30)).toEqual(["a:0 24", "a:1 7"]);
  expect(group(50)).toEqual(["a:0 24", "a:1 24", "a:2 3"]);
  expect(group(50, 40)).toEqual(["a:1 8", "a:2 3"]);
  expect(groupRows(listRows([message("s", "steer"), answer("a", blocks(1))])).map(({ key }) => key)).toEqual([
    "s",
    "a:0",
  ]);
});

test("a row that is not drawn has its words", () => {
  const said = listRows([
    answer("a", [tool("ls"), tool("bash"), text("**Done.**"), plan("Sort")]),
    message("s", "steer"),
  ]);
  expect(said.map(readRow)).toEqual(["bash ls\nbash", "**Done.**", "Sort", "s"]);
});

test("a folded turn is called by its words, or by what it was sent with", () => {
  const sent = { ...message("m", "job"), content: "" };
  const name = (context: NonNullable<ShownMessage["context"]>) => readBeginning({ messages: [{ ...sent, context }] });
  expect(readBeginning({ messages: [{ ...sent, content: "\nFix it.\nSoon." }] })).toBe("Fix it.");
  expect(name({ diffCommentIds: ["a"] })).toBe("1 comment");
  expect(name({ diffCommentIds: ["a", "b"] })).toBe("2 comments");
  expect(name({ answers: [{ question: "Which?", option: "Red" }], diffCommentIds: ["a"] })).toBe("Red");
  expect(readBeginning({ messages: [answer("a", [text("t")])] })).toBe("Earlier in this turn");
});

test("a turn whose messages are the same is the same", () => {
  const [one, other] = [message("m", "job", "j1"), message("n", "job", "j2")];
  const before = listTurns([one, other]);
  const after = listTurns([one, { ...other }], before);
  expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false]);
});

test("earlier messages go in front, and an answer that both have is joined", () => {
  const blocks = [text("0"), text("1"), text("2"), text("3")];
  const later = [answer("a", blocks.slice(2), 2), message("s", "steer")];
  const joined = joinMessages([message("m", "job"), answer("a", blocks.slice(0, 3))], later);
  expect(joined.map(({ id, blocks: { length } }) => [id, length])).toEqual([
    ["m", 0],
    ["a", 4],
    ["s", 0],
  ]);
  expect(joined[1]?.firstBlockIndex).toBe(0);
});

test("messages that do not meet are joined only where one page follows the other", () => {
  const [early, late] = [[message("m", "job")], [message("n", "job")]];
  expect(joinMessages(early, late)).toBe(late);
  expect(joinMessages(early, late, true).map(({ id }) => id)).toEqual(["m", "n"]);
  expect(joinMessages([], late)).toBe(late);
  const all = [...early, ...late, message("o", "job")];
  expect(joinMessages(late, [message("m", "job"), ...all.slice(1)], true).map(({ id }) => id)).toEqual(["m", "n", "o"]);
});
