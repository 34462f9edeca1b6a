// Runs a program to its end.
import { spawn } from "node:child_process";

const shownLines = 15;

/** Runs a program, and returns what it printed. Throws with its last lines if it fails. */
export function run(file: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => lines.push(text));
    child.once("error", reject);
    child.once("close", (code) => {
      const output = lines.join("");
      if (code === 0) return resolve(output);
      reject(new Error(`${file} ${args[0]} failed:\n${output.trim().split("\n").slice(-shownLines).join("\n")}`));
    });
  });
}

/** Runs a script of Bash with its arguments from `$1` on. A pipe fails with any of its parts. */
export const runShell = (script: string, args: string[]) =>
  run("bash", ["-o", "pipefail", "-c", script, "bash", ...args]);
