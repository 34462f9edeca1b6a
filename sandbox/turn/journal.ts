// A turn's journal: every event of the turn, numbered, on disk before it is sent. It stays until the service holds the last event; what
// remains then is an empty file, which says that this turn was had and is over.
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { LinkEvent, TurnEvent } from "../../src/sandbox/protocol.ts";

export interface Journal {
  turnId: string;
  /** The number of the newest event; 0 when there is none. */
  lastSeq(): number;
  /** True once the turn's last event is in. Nothing can be added then. */
  isEnded(): boolean;
  append(event: TurnEvent): LinkEvent;
  /** Events after a number, as JSON, oldest first: at least one when there is any, at most about `limitBytes` in all. */
  readAfter(seq: number, limitBytes: number): string[];
  /** Leaves the journal as it is, for a later program. */
  close(): void;
  /** Empties the journal once nobody needs its events any more. */
  finish(): void;
}

const keptJournals = 50;

/** How a turn's journal stands on disk; `announced` when it holds nothing but that the turn is here, which then has done nothing yet. */
export function journalState(folder: string, turnId: string): "none" | "announced" | "unfinished" | "finished" {
  const path = journalFile(folder, turnId);
  if (!existsSync(path)) return "none";
  if (statSync(path).size === 0) return "finished";
  const [first, ...others] = readFileSync(path, "utf8").split("\n").slice(0, -1);
  if (first === undefined) return "announced";
  const { event }: LinkEvent = JSON.parse(first);
  return others.length === 0 && event.type === "started" ? "announced" : "unfinished";
}

/** Removes a turn's journal, as if the turn had never been here. */
export function dropJournal(folder: string, turnId: string): void {
  rmSync(journalFile(folder, turnId), { force: true });
}

/** Opens a turn's journal, with the whole events of an earlier program in it. */
export function openJournal(folder: string, turnId: string): Journal {
  mkdirSync(folder, { recursive: true });
  const path = journalFile(folder, turnId);
  const file = openSync(path, "a+");
  /** Where each event begins, by its number less one; then where the next will. */
  const offsets = [0];
  let isEnded = false;

  for (const line of readFileSync(path, "utf8").split("\n").slice(0, -1)) {
    offsets.push(lastOffset() + Buffer.byteLength(line) + 1);
    const stored: LinkEvent = JSON.parse(line);
    isEnded = stored.event.type === "ended";
  }
  // A program that is killed while it writes leaves half an event.
  ftruncateSync(file, lastOffset());

  function lastOffset(): number {
    return offsets[offsets.length - 1] ?? 0;
  }
  const lastSeq = () => offsets.length - 1;

  return {
    turnId,
    lastSeq,
    isEnded: () => isEnded,
    append(event) {
      if (isEnded) throw new Error("The turn has ended.");
      const stored: LinkEvent = { seq: lastSeq() + 1, event };
      const line = Buffer.from(`${JSON.stringify(stored)}\n`);
      writeSync(file, line);
      offsets.push(lastOffset() + line.length);
      isEnded = event.type === "ended";
      return stored;
    },
    readAfter(seq, limitBytes) {
      const start = offsets[seq];
      if (start === undefined || seq >= lastSeq()) return [];
      let last = seq + 1;
      while (last < lastSeq() && (offsets[last + 1] ?? 0) - start <= limitBytes) last += 1;
      const buffer = Buffer.alloc((offsets[last] ?? start) - start);
      readSync(file, buffer, 0, buffer.length, start);
      return buffer.toString("utf8").split("\n").slice(0, -1);
    },
    close: () => closeSync(file),
    finish() {
      closeSync(file);
      closeSync(openSync(path, "w"));
      forgetOldest(folder);
    },
  };
}

const journalFile = (folder: string, turnId: string) => join(folder, `${turnId}.jsonl`);

function forgetOldest(folder: string): void {
  const finished = readdirSync(folder)
    .map((name) => ({ path: join(folder, name), stat: statSync(join(folder, name)) }))
    .filter(({ stat }) => stat.size === 0)
    .sort((left, right) => right.stat.mtimeMs - left.stat.mtimeMs);
  for (const { path } of finished.slice(keptJournals)) rmSync(path, { force: true });
}
