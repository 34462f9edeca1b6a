// The journal of a turn on disk, as the next program finds it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadJournal, readJournalState } from "../../../sandbox-program/turn/journal.ts";

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
