// The text frames of a terminal, and how much is on its way.
import { describe, expect, test } from "vitest";
import { createFlow } from "../../../src/terminal/rules/flow.ts";
import { readTerminalCommand, readTerminalOpening, readTerminalReport } from "../../../src/terminal/rules/frames.ts";

const size = { cols: 80, rows: 24 };

describe("a frame of the browser", () => {
  const frames: [text: string, read: ReturnType<typeof readTerminalCommand>][] = [
    ['{"resize":{"cols":80,"rows":24}}', { resize: size }],
    ['{"resize":{"cols":500,"rows":1},"more":1}', { resize: { cols: 500, rows: 1 } }],
    ['{"resize":{"cols":501,"rows":24}}', null],
    ['{"resize":{"cols":80,"rows":0}}', null],
    ['{"resize":{"cols":80.5,"rows":24}}', null],
    ['{"resize":{"cols":"80","rows":24}}', null],
    ['{"resize":{"cols":80}}', null],
    ['{"resize":null}', null],
    ['{"read":0}', { read: 0 }],
    ['{"read":1048576}', { read: 1_048_576 }],
    ['{"read":-1}', null],
    ['{"read":1e99}', null],
    ['{"open":{"cols":80,"rows":24,"env":{}}}', null],
    ["{}", null],
    ["[]", null],
    ["null", null],
    ["7", null],
    ["", null],
    ["{", null],
    [`{"read":1,"padding":"${"x".repeat(200)}"}`, null],
  ];
  test.each(frames)("%s", (text, read) => {
    expect(readTerminalCommand(text)).toEqual(read);
  });
});

describe("a frame of the sandbox program", () => {
  const frames: [text: string, read: ReturnType<typeof readTerminalReport>][] = [
    ['{"taken":7}', { taken: 7 }],
    ['{"taken":"7"}', null],
    ['{"end":"The shell has ended."}', { end: "The shell has ended." }],
    [`{"end":"${"x".repeat(500)}"}`, { end: "x".repeat(300) }],
    [`{"end":"${"x".repeat(2_000)}"}`, null],
    ['{"end":7}', null],
    ["nonsense", null],
  ];
  test.each(frames)("%s", (text, read) => {
    expect(readTerminalReport(text)).toEqual(read);
  });
});

describe("the first frame to the program", () => {
  const frames: [text: string, read: ReturnType<typeof readTerminalOpening>][] = [
    [JSON.stringify({ open: { ...size, env: { A: "b" } } }), { ...size, env: { A: "b" } }],
    [JSON.stringify({ open: { ...size, env: {} } }), { ...size, env: {} }],
    [JSON.stringify({ open: { ...size, env: { A: 1 } } }), null],
    [JSON.stringify({ open: size }), null],
    [JSON.stringify({ open: { cols: 0, rows: 24, env: {} } }), null],
    [JSON.stringify({ resize: size }), null],
    ["{", null],
  ];
  test.each(frames)("%s", (text, read) => {
    expect(readTerminalOpening(text)).toEqual(read);
  });
});

describe("the flow to a side that confirms", () => {
  test("may not exceed its limit, and continues after a confirmation", () => {
    const flow = createFlow(100);
    expect([flow.add(60), flow.add(40), flow.add(1)]).toEqual([true, true, false]);
    flow.confirm(60);
    expect([flow.confirmed(), flow.add(50), flow.add(50)]).toEqual([60, true, false]);
  });

  test("believes no confirmation of what was not sent, and none that takes one back", () => {
    const flow = createFlow(100);
    flow.add(10);
    flow.confirm(1_000_000);
    expect(flow.confirmed()).toBe(10);
    flow.confirm(3);
    expect(flow.confirmed()).toBe(10);
    expect(flow.add(101)).toBe(false);
  });
});
