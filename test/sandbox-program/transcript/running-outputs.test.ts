// What a command has printed while it runs: only for readers, in few pieces, of limited size, and
// without secrets.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createCommandOutput } from "../../../sandbox-program/process/command-output.ts";
import { createRunningOutputs } from "../../../sandbox-program/transcript/running-outputs.ts";
import { toolOutputBytes } from "../../../src/rules/limits.ts";
import { createRedaction } from "../../../src/rules/redaction.ts";
import type { PrintedText } from "../../../src/sandbox-protocol/protocol.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "running-outputs-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const secret = "canary-secret";

/** The outputs of commands, and the pieces that were sent. Each call's name is its index. */
function startOutputs() {
  const pieces: PrintedText[] = [];
  const ended = new Set<string>();
  const link = { isOpen: true };
  const outputs = createRunningOutputs(
    (callId) => (ended.has(callId) ? null : Number(callId)),
    (piece) => link.isOpen && pieces.push(piece) > 0,
  );
  const run = (index: number) => {
    const output = outputs.add(String(index), createCommandOutput(folder, createRedaction([secret]), 65_536));
    return {
      print: (text: string | Buffer) => output.write(Buffer.from(text)),
      end: () => {
        ended.add(String(index));
        return output.finish("");
      },
    };
  };
  return { outputs, run, link, pieces, text: () => pieces.map(({ text }) => text).join("") };
}

test("nothing is sent before somebody reads; a reader gets what was printed so far, and then what is added", () => {
  const { outputs, run, pieces } = startOutputs();
  const command = run(3);
  command.print("one\n");
  vi.advanceTimersByTime(1_000);
  expect(pieces).toEqual([]);
  outputs.show(true);
  vi.advanceTimersByTime(0);
  command.print("two\n");
  vi.advanceTimersByTime(250);
  expect(pieces).toEqual([
    { index: 3, at: 0, text: "one\n" },
    { index: 3, at: 4, text: "two\n" },
  ]);
});

test("the next reader gets all of it again, and after the last one nothing is sent", () => {
  const { outputs, run, pieces } = startOutputs();
  const command = run(0);
  outputs.show(true);
  command.print("one ");
  vi.advanceTimersByTime(250);
  outputs.show(true);
  vi.advanceTimersByTime(250);
  outputs.show(false);
  command.print("two");
  vi.advanceTimersByTime(1_000);
  expect(pieces).toEqual([
    { index: 0, at: 0, text: "one " },
    { index: 0, at: 0, text: "one " },
  ]);
});

test("a command that prints all the time is four pieces a second, without a gap", () => {
  const { outputs, run, pieces, text } = startOutputs();
  const command = run(0);
  outputs.show(true);
  let printed = "";
  for (let count = 0; count < 1_000; count++) {
    command.print(`${count},`);
    printed += `${count},`;
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(250);
  expect(text()).toBe(printed);
  expect(pieces.length).toBeLessThanOrEqual(42);
  // Also readers that come and go do not make it more.
  const before = pieces.length;
  for (let count = 0; count < 100; count++) {
    outputs.show(true);
    vi.advanceTimersByTime(10);
  }
  expect(pieces.length - before).toBeLessThanOrEqual(5);
});

test("a piece has at most the last 32 KiB in whole characters, and says where it begins", () => {
  const { outputs, run, pieces } = startOutputs();
  const command = run(0);
  outputs.show(true);
  const flood = "漢字 and 😀, ".repeat(20_000);
  command.print(flood);
  vi.advanceTimersByTime(0);
  const [{ at, text } = { at: 0, text: "" }] = pieces;
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(toolOutputBytes);
  expect(Buffer.byteLength(text)).toBeGreaterThan(toolOutputBytes - 4);
  expect(flood.slice(at)).toBe(text);
  command.print("end");
  vi.advanceTimersByTime(250);
  expect(pieces.at(-1)).toEqual({ index: 0, at: flood.length, text: "end" });
});

test("a secret in pieces, over characters and times, is in no piece and in no two of them", () => {
  const { outputs, run, text } = startOutputs();
  const command = run(0);
  outputs.show(true);
  for (const character of `it is ${secret} and ${secret}`) {
    command.print(character);
    vi.advanceTimersByTime(300);
  }
  expect(text()).toBe("it is [redacted] and [redacted]");
});

test("a character that is cut between two writes is sent once it is whole", () => {
  const { outputs, run, text } = startOutputs();
  const command = run(0);
  outputs.show(true);
  for (const byte of Buffer.from("é😀漢")) {
    command.print(Buffer.from([byte]));
    vi.advanceTimersByTime(300);
  }
  expect(text()).toBe("é😀漢");
});

test("what a link does not take is sent later, together", () => {
  const { outputs, run, link, pieces } = startOutputs();
  const command = run(0);
  outputs.show(true);
  link.isOpen = false;
  for (const word of ["one ", "two ", "three"]) {
    command.print(word);
    vi.advanceTimersByTime(400);
  }
  link.isOpen = true;
  vi.advanceTimersByTime(250);
  expect(pieces).toEqual([{ index: 0, at: 0, text: "one two three" }]);
});

test("many commands share the link, and each has its turn", () => {
  const { outputs, run, pieces } = startOutputs();
  const commands = Array.from({ length: 10 }, (_, index) => run(index));
  outputs.show(true);
  for (let count = 0; count < 100; count++) {
    for (const command of commands) command.print(".");
    vi.advanceTimersByTime(50);
  }
  expect(pieces.length).toBeLessThanOrEqual(16 * 5 + 4);
  for (let index = 0; index < 10; index++) {
    const ofOne = pieces.filter((piece) => piece.index === index);
    expect(ofOne.length).toBeGreaterThanOrEqual(6);
    expect(ofOne.map(({ text }) => text).join("")).toMatch(/^\.{80,}$/);
  }
});

test("a command that has ended, and a closed turn, send nothing more", () => {
  const { outputs, run, pieces } = startOutputs();
  const [first, second] = [run(0), run(1)];
  outputs.show(true);
  first.print("last words");
  first.end();
  vi.advanceTimersByTime(1_000);
  second.print("not shown");
  outputs.close();
  outputs.show(true);
  second.print("not shown either");
  vi.advanceTimersByTime(1_000);
  expect(pieces).toEqual([]);
});
