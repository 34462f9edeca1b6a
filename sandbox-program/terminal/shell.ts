// The shell of a terminal: a login shell on a pseudoterminal, in the checkout, as a member of a
// process family of its own. Node has no pseudoterminals and takes no native module, so `script` of
// util-linux makes one, which every image and machine with the wall's tools has.
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { TerminalOpening, TerminalSize } from "../../src/terminal/rules/frames.ts";
import type { Folders } from "../folders.ts";
import type { ProcessFamily } from "../process/process-family.ts";
import { getShellEnvironment } from "../process/shell-environment.ts";
import { spawnMember } from "../process/spawn-member.ts";

export interface Shell {
  input: Writable;
  output: Readable;
  resize(size: TerminalSize): void;
  /** Settles with the exit code, or null if it could not be started. */
  ended: Promise<number | null>;
}

const sizesDescriptor = 3;
const signalExitCode = 137;

/** Starts the shell in a family, which must be open. */
export function startShell(
  folders: Folders,
  family: ProcessFamily,
  { cols, rows, env }: TerminalOpening["open"],
): Shell {
  const given = getShellEnvironment(folders, env, null);
  const child = spawnMember(
    family,
    {
      argv: ["script", "--quiet", "--flush", "--return", "--command", getSessionScript({ cols, rows }), "/dev/null"],
      cwd: folders.project,
      env: {
        ...given,
        TERM: "xterm-256color",
        COLORTERM: "truecolor",
        PAGER: "less",
        // `script` runs its command in this shell.
        SHELL: "/bin/bash",
        // What a person types is not kept for the agent to read.
        HISTFILE: "/dev/null",
      },
    },
    { stdio: ["pipe", "pipe", "pipe", "pipe"] },
  );
  const sizes = child.stdio[sizesDescriptor] as Writable;
  const { stdin, stdout, stderr } = child as ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };
  for (const stream of [stdin, sizes]) stream.on("error", () => {});
  stderr.resume();
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    // The last output is read first.
    const read = new Promise((done) => stdout.once("close", done));
    child.once("exit", (code) => void read.then(() => resolve(code ?? signalExitCode)));
  });
  return { input: stdin, output: stdout, resize: (size) => void sizes.write(`${formatSize(size)}\n`), ended };
}

/** The folder and a dollar, unless a profile of the person sets another prompt. */
const prompt = "\\W \\$ ";

const formatSize = ({ rows, cols }: TerminalSize) => `${rows} ${cols}`;

/**
 * Sets the size, and then each size that arrives on a descriptor. The profile of a login shell may
 * replace the PATH that the agent's commands have, so that PATH comes first again.
 */
function getSessionScript(size: TerminalSize): string {
  const [rows, cols] = formatSize(size).split(" ");
  const setSize = (row: string, col: string) => `stty rows ${row} cols ${col} < /dev/tty`;
  const followSizes = `{ while read -r rows cols <&${sizesDescriptor}; do ${setSize('"$rows"', '"$cols"')}; done; } 2> /dev/null &`;
  // Debian's profile of all shells replaces a prompt that is in the environment.
  const profile = '<(printf "PS1=%q\\ntest -f ~/.bashrc && . ~/.bashrc\\n" "$1")';
  const login = `exec /bin/bash -l -c 'export PATH="$0:$PATH"; exec /bin/bash --rcfile ${profile} -i' "$PATH" '${prompt}'`;
  return `${setSize(String(rows), String(cols))}; ${followSizes} exec ${sizesDescriptor}<&-; ${login}`;
}
