// The outputs of running commands, for people who read the turn as it happens. They are sent only
// while somebody reads, and never stored: the block of the tool has the output once it has ended.
import { toolOutputPiecesPerSecond, turnOutputPiecesPerSecond } from "../../src/rules/limits.ts";
import type { PrintedText } from "../../src/sandbox-protocol/protocol.ts";
import type { CommandOutput } from "../process/command-output.ts";

export interface RunningOutputs {
  /** Follows the output of a command until it is finished. Returns the output to write to. */
  add(callId: string, output: CommandOutput): CommandOutput;
  /** Sends what the commands have printed so far, and then what they add; or sends nothing. */
  show(areShown: boolean): void;
  /** Sends nothing from now on. */
  close(): void;
}

interface RunningOutput {
  output: CommandOutput;
  /** How much of it was sent, in UTF-16 units; null if nothing was. */
  sentTo: number | null;
  isChanged: boolean;
}

const pauseMs = 1_000 / toolOutputPiecesPerSecond;
const piecesTogether = turnOutputPiecesPerSecond / toolOutputPiecesPerSecond;

/**
 * Creates the running outputs. `findIndex` returns the index of a running tool's block, and `send`
 * returns false if a piece cannot be sent now.
 */
export function createRunningOutputs(
  findIndex: (callId: string) => number | null,
  send: (piece: PrintedText) => boolean,
): RunningOutputs {
  const running = new Map<string, RunningOutput>();
  let areShown = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  /** When a piece was last sent, or could not be. */
  let lastSentAtMs = Number.NEGATIVE_INFINITY;

  function schedule(): void {
    if (!areShown || isClosed) return;
    timer ??= setTimeout(sendChanges, Math.max(0, lastSentAtMs + pauseMs - performance.now()));
  }

  function sendChanges(): void {
    timer = undefined;
    const changed = [...running].filter(([callId, { isChanged }]) => isChanged && findIndex(callId) !== null);
    for (const [callId, entry] of changed.slice(0, piecesTogether)) {
      if (!sendChange(findIndex(callId) ?? 0, entry)) continue;
      // The others are sent first the next time.
      running.delete(callId);
      running.set(callId, entry);
    }
    if (changed.some(([, { isChanged }]) => isChanged)) schedule();
  }

  function sendChange(index: number, entry: RunningOutput): boolean {
    const { at, text } = entry.output.shown();
    const from = entry.sentTo === null ? 0 : Math.max(0, entry.sentTo - at);
    const piece = { index, at: at + from, text: text.slice(from) };
    if (piece.text !== "") {
      lastSentAtMs = performance.now();
      if (!send(piece)) return false;
    }
    entry.sentTo = at + text.length;
    entry.isChanged = false;
    return true;
  }

  function stop(): void {
    areShown = false;
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    add(callId, output) {
      const entry: RunningOutput = { output, sentTo: null, isChanged: false };
      running.set(callId, entry);
      return {
        ...output,
        write(chunk) {
          output.write(chunk);
          entry.isChanged = true;
          schedule();
        },
        finish(status) {
          if (running.get(callId) === entry) running.delete(callId);
          return output.finish(status);
        },
      };
    },
    show(wanted) {
      stop();
      if (!wanted) return;
      areShown = true;
      for (const entry of running.values()) Object.assign(entry, { sentTo: null, isChanged: true });
      schedule();
    },
    close() {
      stop();
      isClosed = true;
    },
  };
}
