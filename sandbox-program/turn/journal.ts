// A turn's journal: every event of the turn, numbered, written to disk before it is sent. Events
// that a full disk does not take are in memory, so that the turn's end is still sent. Once the
// service has stored the last event, a mark replaces the events: the turn is finished and never
// runs again. A journal that a killed program left empty has no mark.
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { LinkEvent, TurnEvent } from "../../src/sandbox-protocol/protocol.ts";
import { isThere } from "../presence.ts";

export interface Journal {
  turnId: string;
  /** The number of the newest event; 0 if there is none. */
  lastSeq(): number;
  /** True once the journal holds the turn's last event. No event may follow. */
  isEnded(): boolean;
  append(event: TurnEvent): LinkEvent;
  /**
   * The events after a number, as JSON, oldest first: at least one if there is any, and about
   * `limitBytes` at most.
   */
  readAfter(seq: number, limitBytes: number): string[];
  /** Closes the file and keeps its events. Throws if the disk has not taken all of them. */
  close(): void;
  /** Replaces the events by the mark after the service has stored them all. */
  finish(): void;
}

const keptJournals = 50;
/** Shorter than any event. */
const finishedMark = "finished\n";

/**
 * The state of a journal on disk. `announced`: at most the event `started`, so the agent has done
 * nothing yet.
 */
export function readJournalState(folder: string, turnId: string): "none" | "announced" | "unfinished" | "finished" {
  const path = journalFile(folder, turnId);
  if (!isThere(path)) return "none";
  const text = readFileSync(path, "utf8");
  if (text === finishedMark) return "finished";
  const [first, ...others] = text.split("\n").slice(0, -1);
  if (first === undefined) return "announced";
  const { event }: LinkEvent = JSON.parse(first);
  return others.length === 0 && event.type === "started" ? "announced" : "unfinished";
}

/** Deletes a turn's journal, so that the turn can start again. */
export function deleteJournal(folder: string, turnId: string): void {
  rmSync(journalFile(folder, turnId), { force: true });
}

/** Opens a turn's journal, including the complete events of an earlier program. */
export function loadJournal(folder: string, turnId: string): Journal {
  mkdirSync(folder, { recursive: true });
  const path = journalFile(folder, turnId);
  const file = openSync(path, "a+");
  /** The offset of event n at index n - 1, and last the offset of the next event. */
  const offsets = [0];
  let isEnded = false;
  /** The newest events, which the disk has not taken, and how much it took of the first. */
  const waiting: Buffer[] = [];
  let taken = 0;
  let failure: unknown = null;

  for (const line of readFileSync(path, "utf8").split("\n").slice(0, -1)) {
    offsets.push(lastOffset() + Buffer.byteLength(line) + 1);
    const stored: LinkEvent = JSON.parse(line);
    isEnded = stored.event.type === "ended";
  }
  // A program that is killed during a write leaves an incomplete event.
  ftruncateSync(file, lastOffset());

  function lastOffset(): number {
    return offsets[offsets.length - 1] ?? 0;
  }
  const lastSeq = () => offsets.length - 1;

  function write(): void {
    try {
      for (let line = waiting[0]; line; line = waiting[0]) {
        taken += writeSync(file, line, taken);
        if (taken < line.length) continue;
        waiting.shift();
        taken = 0;
      }
    } catch (error) {
      failure = error;
    }
  }

  return {
    turnId,
    lastSeq,
    isEnded: () => isEnded,
    append(event) {
      if (isEnded) throw new Error("The turn has ended.");
      const stored: LinkEvent = { seq: lastSeq() + 1, event };
      const line = Buffer.from(`${JSON.stringify(stored)}\n`);
      waiting.push(line);
      write();
      offsets.push(lastOffset() + line.length);
      isEnded = event.type === "ended";
      return stored;
    },
    readAfter(seq, limitBytes) {
      const start = offsets[seq];
      if (start === undefined || seq >= lastSeq()) return [];
      const written = lastSeq() - waiting.length;
      const end = seq < written ? written : lastSeq();
      let last = seq + 1;
      while (last < end && (offsets[last + 1] ?? 0) - start <= limitBytes) last += 1;
      if (seq >= written)
        return waiting.slice(seq - written, last - written).map((line) => line.toString("utf8", 0, line.length - 1));
      const buffer = Buffer.alloc((offsets[last] ?? start) - start);
      readSync(file, buffer, 0, buffer.length, start);
      return buffer.toString("utf8").split("\n").slice(0, -1);
    },
    close() {
      closeSync(file);
      if (waiting.length > 0) throw failure;
    },
    finish() {
      closeSync(file);
      writeFileSync(path, finishedMark);
      deleteOldest(folder);
    },
  };
}

const journalFile = (folder: string, turnId: string) => join(folder, `${turnId}.jsonl`);

function deleteOldest(folder: string): void {
  const finished = readdirSync(folder)
    .map((name) => ({ path: join(folder, name), stat: statSync(join(folder, name)) }))
    .filter(({ stat }) => stat.size <= finishedMark.length)
    .sort((left, right) => right.stat.mtimeMs - left.stat.mtimeMs);
  for (const { path } of finished.slice(keptJournals)) rmSync(path, { force: true });
}
