// An example, run as its reader runs it: by Node, with settings in the environment.
import { spawn } from "node:child_process";
import { join } from "node:path";

export const examples = join(import.meta.dirname, "../../../examples");

export interface RunningExample {
  /** All that it has printed. */
  output(): string;
  ended: Promise<{ code: number | null; output: string }>;
  /** Ends it as a crash does, and waits until it has ended. */
  kill(): Promise<void>;
}

/** Starts an example, named by its folder and file. */
export function startExample(file: string, env: Record<string, string>, args: readonly string[] = []): RunningExample {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [join(examples, file), ...args], { env: { PATH, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, output })),
  );
  return {
    output: () => output,
    ended,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
