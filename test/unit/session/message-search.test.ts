// The search in messages: when a turn's texts are indexed, and how words become an expression.
import { expect, test } from "vitest";
import {
  formatMatch,
  listTurnsToIndex,
  markEnd,
  markStart,
  parseSnippet,
  toIndexedText,
} from "../../../src/session/rules/message-search.ts";
import { sessionState, turn } from "../../support/session-state.ts";

const withTurn = (status: Parameters<typeof turn>[0], id = "turn-1") => sessionState({ turn: { ...turn(status), id } });

test.each([
  ["a new turn", null, withTurn("pending"), ["turn-1"]],
  ["a turn that goes on", withTurn("pending"), withTurn("running"), []],
  ["a turn that ends", withTurn("running"), withTurn("completed"), ["turn-1"]],
  ["a turn that asks", withTurn("running"), withTurn("awaiting_response"), ["turn-1"]],
  ["a turn that is followed by the next", withTurn("running"), withTurn("pending", "turn-2"), ["turn-1", "turn-2"]],
  ["the next turn", withTurn("completed"), withTurn("pending", "turn-2"), ["turn-2"]],
  ["a change without a turn", withTurn("completed"), withTurn("completed"), []],
  ["a deletion", withTurn("running"), null, []],
])("%s", (_, before, after, ids) => {
  expect(listTurnsToIndex(before, after)).toEqual(ids);
});

const scope = { workspaceIds: ["A"], projectIds: [] };
const inText = (words: string) => formatMatch(words, scope)?.replace('{scope} : ("w41") AND {text} : ', "");

test.each([
  ["departures", '("departures"*)'],
  ["by time", '("by" AND "time"*)'],
  ["by", '("by")'],
  ['say "hello"', '("say" AND """hello""")'],
  ["a OR b NOT c", '("a" AND "OR" AND "b" AND "NOT" AND "c")'],
  ["NEAR(a b) {scope}:w42 x*", '("NEAR(a" AND "b)" AND "{scope}:w42" AND "x*")'],
  [`nul${String.fromCodePoint(0)}l`, '("null")'],
  ["Größe", '("Größe"*)'],
  ["***  - abc", '("abc"*)'],
])("the words %j are quoted", (words, expression) => {
  expect(inText(words)).toBe(expression);
});

test.each([[""], ["   "], ['" * ( )'], ["…"]])("the words %j match nothing", (words) => {
  expect(formatMatch(words, scope)).toBeNull();
});

test("a search looks in the projects that it names, else in workspaces, and the case of ids counts", () => {
  expect(formatMatch("a", { workspaceIds: ["A", "a"], projectIds: [] })).toContain('{scope} : ("w41" OR "w61") AND');
  expect(formatMatch("a", { workspaceIds: ["A"], projectIds: ["b"] })).toContain('{scope} : ("p62") AND');
  expect(formatMatch("a", { workspaceIds: [], projectIds: [] })).toBeNull();
});

test("only the first 16 words count", () => {
  expect(inText("word ".repeat(40))?.split(" AND ")).toHaveLength(16);
});

test.each([
  [
    `all ${markStart}of${markEnd} it ${markStart}is${markEnd}`,
    "all of it is",
    [
      [4, 6],
      [10, 12],
    ],
  ],
  ["none", "none", []],
  [`${markStart}all${markEnd}`, "all", [[0, 3]]],
])("a snippet %j has its marks", (marked, text, marks) => {
  expect(parseSnippet(marked)).toEqual({ text, marks });
});

test("a text is cut, and has no marks of its own", () => {
  expect(toIndexedText(`${markStart}a${markEnd}`)).toBe(" a ");
  expect(toIndexedText("😀".repeat(5_000))).toBe("😀".repeat(4_000));
});
