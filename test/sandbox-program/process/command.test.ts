// The end of a command: its output is whole, however busy the program is.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand } from "../../../sandbox-program/process/command.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "command-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const isGone = (pid: number) => {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
};

/** Keeps the program from reading streams and running timers, as a long garbage collection does. */
function block(until: () => boolean): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  do Atomics.wait(clock, 0, 0, 100);
  while (!until());
}

test("output that waits while the program is busy is read after the exit of the command", async () => {
  const [exited, written] = [join(folder, "exited"), join(folder, "written")];
  const late = `until [ -e ${exited} ]; do sleep 0.01; done; printf late; : > ${written}`;
  let output = "";
  let pid = 0;
  const end = runCommand({
    file: "bash",
    args: ["-c", `printf "$$ "; (${late}) &`],
    cwd: folder,
    env: { PATH: process.env.PATH ?? "" },
    onOutput(chunk) {
      output += chunk.toString();
      pid ||= Number(output);
    },
  });
  // Each round follows a reading of the streams, so the end of the shell is seen in the round in
  // which it is known.
  while (pid === 0 || !isGone(pid)) await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(exited, "");
  block(() => existsSync(written));
  expect((await end).exitCode).toBe(0);
  expect(output).toBe(`${pid} late`);
});

test("a command has ended although what it left running keeps printing", async () => {
  const running = join(folder, "running");
  writeFileSync(running, "");
  const end = await runCommand({
    file: "bash",
    args: ["-c", `(while [ -e ${running} ]; do echo more; done) & exit 3`],
    cwd: folder,
    env: { PATH: process.env.PATH ?? "" },
    onOutput() {},
  });
  expect(end).toEqual({ exitCode: 3, stopped: null });
});
