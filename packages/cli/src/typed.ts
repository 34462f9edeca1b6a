// What a person types in a terminal: texts that Enter ends, and those that ^S ends. The terminal
// stays in its own mode of lines, so that it edits them, and what an agent writes needs no redraw.
import { spawnSync } from "node:child_process";

export interface Typed {
  /** Ends with a word. A space before the first one says that it is no command. */
  text: string;
  /** Enter ends what is sent, and ^S what is steered. */
  end: "enter" | "steer";
}

const steerSign = "\u0013";
const ends = new RegExp(`([\n${steerSign}])`);

/** Creates a parser of the pieces that a terminal sends. */
export function createTypedParser(): (piece: string) => Typed[] {
  let rest = "";
  return (piece) => {
    const parts = (rest + piece).split(ends);
    rest = parts.pop() ?? "";
    return Array.from({ length: parts.length / 2 }, (_, at) => ({
      text: (parts[2 * at] ?? "").trimEnd(),
      end: parts[2 * at + 1] === steerSign ? "steer" : "enter",
    }));
  };
}

/** Reads what is typed until ^D. Returns a function that ends the reading. */
export function readTyped(onTyped: (typed: Typed) => void, onEnd: () => void): () => void {
  const before = runStty("-g");
  // By default, ^S stops the output of a terminal. As an end of lines, it comes with its text.
  if (before !== null) runStty("-ixon", "eol", "^S");
  const parse = createTypedParser();
  const receive = (piece: string) => {
    for (const typed of parse(piece)) {
      // Only Enter has moved the cursor to the next line.
      if (typed.end === "steer") process.stderr.write("\n");
      onTyped(typed);
    }
  };
  process.stdin.setEncoding("utf8").on("data", receive).once("end", onEnd);
  return () => {
    process.stdin.off("data", receive).off("end", onEnd).destroy();
    if (before !== null) runStty(before);
  };
}

/** Runs `stty` on the terminal; null where there is none, as on Windows. */
function runStty(...args: string[]): string | null {
  const { status, stdout } = spawnSync("stty", args, { stdio: ["inherit", "pipe", "ignore"], encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}
