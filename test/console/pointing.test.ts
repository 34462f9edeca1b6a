// Which answers of a preview's page count while a person points, and which end it.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { PointedElement } from "../../console/src/composer/element.ts";
import { Pointer } from "../../console/src/preview/pointer.ts";
import {
  type Ask,
  type Asked,
  addAsk,
  askPath,
  type EndReason,
  judgeAnswer,
} from "../../console/src/preview/pointing.ts";

const element = { tag: "p", text: "Hi", selector: "p", page: "/", width: 10, height: 20 };
const box = { x: 1, y: 2, width: 10, height: 20 };
const outline: Asked = { id: 7, at: { x: 1, y: 1 }, isChoice: false };
const choice: Asked = { ...outline, isChoice: true };
const answer = { id: 7, isReadable: true, box, element };

test.each<[what: string, data: unknown, asked: Asked | null, kind: string]>([
  ["an outline", { ...answer, element: null }, outline, "outline"],
  ["an outline of nothing", { id: 7, isReadable: true, box: null, element: null }, outline, "outline"],
  ["an element with nobody's click", answer, outline, "outline"],
  ["an element after a click", answer, choice, "chosen"],
  ["nothing after a click", { ...answer, element: null }, choice, "outline"],
  ["an element without a place", { ...answer, box: "x" }, choice, "chosen"],
  ["a page that is closed", { id: 7, isReadable: false }, choice, "closed"],
  ["anything that nobody asked for", answer, null, "breach"],
  ["an answer to another question", { ...answer, id: 6 }, choice, "breach"],
  ["an answer to a later question", { ...answer, id: 8 }, choice, "breach"],
  ["an answer without a number", { ...answer, id: "7" }, choice, "breach"],
  ["an answer that says nothing", { id: 7 }, choice, "breach"],
  ["no object", "chosen", choice, "breach"],
  ["null", null, choice, "breach"],
  ["a description that is none", { ...answer, element: { tag: "p" } }, choice, "breach"],
  ["a missing description", { ...answer, element: undefined }, choice, "breach"],
])("%s", (_, data, asked, kind) => {
  expect(judgeAnswer(data, asked, "web").kind).toBe(kind);
});

test.each<[what: string, given: unknown, shown: unknown]>([
  ["a place", box, box],
  ["a place left of the page", { ...box, x: -50 }, { ...box, x: -50 }],
  ["a negative size", { ...box, width: -5 }, { ...box, width: 0 }],
  ["a style", { ...box, x: "0; position: fixed" }, null],
  ["a number that is none", { ...box, y: Number.NaN }, null],
  ["a place far away", { ...box, x: 1e12 }, null],
  ["a text", "everywhere", null],
])("the outline of %s", (_, given, shown) => {
  expect(judgeAnswer({ ...answer, box: given }, outline, "web")).toEqual({ kind: "outline", box: shown });
});

const at = (x: number, isChoice = false): Ask => ({ at: { x, y: 0 }, isChoice });
const scroll = (y: number): Ask => ({ ...at(1), scroll: { x: 0, y } });

const step: Ask = { step: "child", isChoice: false };

test.each<[what: string, asks: Ask[], waiting: Ask[]]>([
  ["the newest place counts", [at(1), at(2), at(3)], [at(3)]],
  ["a click stays", [at(1, true), at(2), at(3)], [at(1, true), at(3)]],
  ["a click comes in place of the place before", [at(1), at(2, true)], [at(2, true)]],
  ["two clicks are two", [at(1, true), at(2, true)], [at(1, true), at(2, true)]],
  ["each step counts", [step, step, { isChoice: true }], [step, step, { isChoice: true }]],
  ["a step stays before a place", [at(1), step, at(2)], [at(1), step, at(2)]],
  ["distances add up", [scroll(10), scroll(5)], [scroll(15)]],
  ["a distance stays when the pointer moves", [scroll(10), at(3)], [{ ...at(3), scroll: { x: 0, y: 10 } }]],
  ["ten questions are enough", Array<Ask>(99).fill(step), Array<Ask>(10).fill(step)],
])("of what waits, %s", (_, asks, waiting) => {
  expect(asks.reduce<readonly Ask[]>(addAsk, [])).toEqual(waiting);
});

function point(isLoaded = true) {
  const port = { asked: [] as Asked[], isClosed: false };
  const chosen: PointedElement[] = [];
  const ends: EndReason[] = [];
  const outlines: unknown[] = [];
  const channels: { isAgain: boolean; isClosed: boolean; say: (data: unknown) => void }[] = [];
  const pointer = new Pointer({
    frontendName: "web",
    isLoaded,
    connect(isAgain, say) {
      const channel = { isAgain, isClosed: false, say };
      channels.push(channel);
      return {
        send: (asked) => port.asked.push(asked),
        close: () => {
          channel.isClosed = true;
          port.isClosed = channels.every((one) => one.isClosed);
        },
      };
    },
    onOutline: (shown) => outlines.push(shown),
    onChoice: (one) => chosen.push(one),
    onEnd: (reason) => ends.push(reason),
  });
  const say = (data: unknown) => channels.at(-1)?.say(data);
  const reply = (parts: Record<string, unknown> = {}) =>
    say({ id: port.asked.at(-1)?.id, isReadable: true, box, element: null, ...parts });
  return { port, pointer, chosen, ends, outlines, channels, reply, say };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("one question is asked at a time, and a click is answered once", () => {
  const { port, pointer, chosen, ends, reply, say } = point();
  expect(port.asked).toEqual([{ id: 1, isChoice: false }]);
  pointer.ask(at(1));
  pointer.ask(at(2, true));
  pointer.ask(at(3));
  expect(port.asked).toHaveLength(1);
  reply();
  expect(port.asked[1]).toEqual({ id: 2, ...at(2, true) });
  expect(chosen).toEqual([]);
  reply({ element });
  expect(chosen).toEqual([{ ...element, frontendName: "web" }]);
  expect(port.asked[2]).toEqual({ id: 3, ...at(3) });
  reply();
  expect(port.asked).toHaveLength(3);
  expect(ends).toEqual([]);
  // The same answer again was not asked for.
  say({ id: 2, isReadable: true, box, element });
  expect(chosen).toHaveLength(1);
  expect(ends).toEqual(["breach"]);
});

test("a page that sends what nobody asked for is cut off, and is not listened to any longer", () => {
  const { port, pointer, chosen, ends, outlines, reply, say } = point();
  reply();
  for (let id = 0; id < 100; id += 1) say({ id, isReadable: true, box, element });
  expect(ends).toEqual(["breach"]);
  expect(port.isClosed).toBe(true);
  pointer.ask(at(1, true));
  reply({ element });
  expect([chosen.length, outlines.length, port.asked.length]).toEqual([0, 1, 1]);
});

test("after the person has ended it, an answer to their last click is nothing", () => {
  const { port, pointer, chosen, ends, reply } = point();
  reply();
  pointer.ask(at(1, true));
  pointer.end();
  reply({ element });
  vi.runAllTimers();
  expect(port.isClosed).toBe(true);
  expect([chosen, ends]).toEqual([[], []]);
});

test("a page that does not answer, or cannot be looked into, ends it with a reason", () => {
  const silent = point();
  vi.runAllTimers();
  expect([silent.ends, silent.port.isClosed]).toEqual([["silent"], true]);
  const answering = point();
  answering.reply();
  vi.runAllTimers();
  expect(answering.ends).toEqual([]);
  answering.pointer.ask(at(1));
  answering.reply({ isReadable: false });
  expect([answering.ends, answering.port.isClosed]).toEqual([["closed"], true]);
});

test("a page that loads meanwhile gets the question that the page before has not answered", () => {
  const { port, pointer, channels, chosen, ends, outlines, reply } = point(false);
  pointer.ask(at(1, true));
  // An app that starts slowly has more time.
  vi.advanceTimersByTime(20_000);
  expect([ends, port.asked]).toEqual([[], [{ id: 1, isChoice: false }]]);
  pointer.connectAgain();
  expect(channels.map(({ isAgain, isClosed }) => [isAgain, isClosed])).toEqual([
    [false, true],
    [true, false],
  ]);
  expect(port.asked[1]).toEqual({ id: 1, isChoice: false });
  // Of the channel before, nothing counts.
  channels[0]?.say({ id: 1, isReadable: true, box, element: null });
  expect(outlines).toEqual([]);
  reply();
  reply({ element });
  expect(chosen).toHaveLength(1);
  // Whether another page can be pointed at is known before the next click.
  pointer.connectAgain();
  expect(port.asked[3]).toEqual({ id: 3, isChoice: false });
  vi.runAllTimers();
  expect(ends).toEqual(["silent"]);
  pointer.connectAgain();
  expect([channels.length, port.isClosed]).toEqual([3, true]);
});

test("a page that never loads ends it, too", () => {
  const { ends } = point(false);
  vi.runAllTimers();
  expect(ends).toEqual(["silent"]);
});

test("of the paths that a page gives, the first counts", async () => {
  const given = await askPath((port) => {
    port.postMessage("/trains");
    port.postMessage("/planted");
  });
  expect(given).toBe("/trains");
});

test("a page that does not give its path leaves it open", async () => {
  const given = askPath(() => {});
  vi.runAllTimers();
  expect(await given).toBe(null);
});
