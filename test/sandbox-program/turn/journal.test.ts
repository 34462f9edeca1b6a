// The journal of a turn on disk, as the next program finds it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Journal, loadJournal, readJournalState } from "../../../sandbox-program/turn/journal.ts";
import { limitDisk } from "../support/full-disk.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "journal-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const started = { type: "started", agentVersion: "test" } as const;
const text = { type: "text", index: 0, delta: "x" } as const;

test("a journal shows how far its turn came", () => {
  expect(readJournalState(folder, "turn")).toBe("none");
  const journal = loadJournal(folder, "turn");
  // A program that is killed here leaves an empty journal. Its turn has not started, and is not
  // finished either.
  expect(readJournalState(folder, "turn")).toBe("announced");
  journal.append(started);
  expect(readJournalState(folder, "turn")).toBe("announced");
  journal.append(text);
  expect(readJournalState(folder, "turn")).toBe("unfinished");
  journal.finish();
  expect(readJournalState(folder, "turn")).toBe("finished");
});

test("a journal that was cut within its first event has announced nothing", () => {
  writeFileSync(join(folder, "turn.jsonl"), '{"seq":1,"ev');
  expect(readJournalState(folder, "turn")).toBe("announced");
  const journal = loadJournal(folder, "turn");
  journal.close();
  expect(readJournalState(folder, "turn")).toBe("announced");
});

describe("on a full disk", () => {
  const disk = limitDisk();
  const ended = { type: "ended", outcome: { status: "cancelled" } } as const;
  const events = [started, text, { ...text, delta: "漢字" }, ended];
  const numbered = events.map((event, at) => ({ seq: at + 1, event }));

  function readAll(journal: Journal, limitBytes: number): unknown[] {
    const read: unknown[] = [];
    for (let lines = [""]; lines.length > 0; read.push(...lines.map((line) => JSON.parse(line))))
      lines = journal.readAfter(read.length, limitBytes);
    return read;
  }

  test.each([0, 1, 60, 90, 150])("with room for %d bytes, all events are sent", (bytes) => {
    const journal = loadJournal(folder, "turn");
    disk.room = bytes;
    expect(events.map((event) => journal.append(event))).toEqual(numbered);
    expect(journal.isEnded()).toBe(true);
    for (const limit of [1, 100, 1_000]) expect(readAll(journal, limit)).toEqual(numbered);
    journal.finish();
  });

  test("what it did not take is written once there is room again", () => {
    const journal = loadJournal(folder, "turn");
    disk.room = 70;
    for (const event of events.slice(0, -1)) journal.append(event);
    disk.room = Number.POSITIVE_INFINITY;
    journal.append(ended);
    journal.close();
    const lines = readFileSync(join(folder, "turn.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(numbered);
  });

  test("a journal that the next program must find is refused", () => {
    const journal = loadJournal(folder, "turn");
    disk.room = 0;
    journal.append(ended);
    expect(() => journal.close()).toThrow("ENOSPC");
  });
});
