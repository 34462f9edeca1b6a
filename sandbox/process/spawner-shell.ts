// A spawner's shell: waits behind a wall, and starts commands there when it is told to. It is told the variables of the commands, too, so it can
// be started before they are known.
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Enclosure } from "./enclosure.ts";
import { diesFirst, shellExports } from "./entry.ts";
import type { Environment } from "./environment.ts";
import { type RunningCommand, signalGroup } from "./running-command.ts";
import { shellWord } from "./shell-word.ts";
import { ownIds } from "./users.ts";

export interface SpawnerShell {
  /** The id of its process group. */
  id: number;
  /** Tells it the variables of the commands that it starts from now on. */
  give(env: Environment): void;
  /** False once it has started as many commands as it can, or has ended. */
  canRun(): boolean;
  /** Starts a command without input; null if it is too long to be told. */
  run(cwd: string, argv: readonly string[]): RunningCommand | null;
}

/** It reads its orders byte by byte. */
const longestOrder = 16_384;
/** So many commands are started by one shell, because the pipes of each are there from the shell's start. */
const commandsEach = 4;
const firstPipe = 3;
/** The pipes of one command: its output, its errors, and one on which the shell tells its process id and its exit code. */
const pipesEach = 3;

/** Each command gets a process group, the variables that were given, and none of the pipes of the others. */
const script = `
set -m
unset SHLVL OLDPWD
run() {
  (
    for pipe in "\${others[@]}"; do exec {pipe}>&-; done
    ${diesFirst}
    cd -- "$folder" 2>&$errors && unset OLDPWD && eval "$given" && "$@" < /dev/null >&$output 2>&$errors {output}>&- {errors}>&- {told}>&-
    echo "$?" >&$told
  ) &
  echo "$!" >&$told
  exec {output}>&- {errors}>&- {told}>&-
}
while IFS= read -r order; do eval "$order"; done`;

/** Starts a shell whose commands run in an enclosure; null if the enclosure allows none. Throws if it cannot be started. */
export function startSpawnerShell(enclosure: Enclosure): SpawnerShell | null {
  const entry = enclosure.startInside({ argv: ["/bin/bash", "--norc", "-c", script], cwd: "/", env: {} });
  if (entry === null) return null;
  const [file = "", ...args] = entry.argv;
  const pipes = Array.from({ length: commandsEach * pipesEach }, () => "pipe" as const);
  const shell = spawn(file, args, {
    ...{ cwd: entry.cwd, env: entry.env, ...ownIds(), detached: true },
    stdio: ["pipe", "ignore", "ignore", ...pipes],
  });
  if (shell.pid === undefined) throw new Error("The shell that starts commands could not be started.");
  const left = Array.from({ length: commandsEach }, (_, number) => number);
  for (const pipe of shell.stdio) pipe?.on("error", () => {});
  shell.once("exit", () => {
    for (const number of left) for (const id of pipesOf(number)) pipeOf(shell, id).destroy();
  });
  return {
    id: shell.pid,
    give: (env) => void shell.stdin?.write(`given=${shellWord(shellExports(env))}\n`),
    canRun: () => left.length > 0 && shell.exitCode === null && shell.signalCode === null,
    run(cwd, argv) {
      const [number = 0, ...others] = left;
      const [output, errors, told] = pipesOf(number);
      const order =
        `output=${output} errors=${errors} told=${told} others=(${others.flatMap(pipesOf).join(" ")}) ` +
        `folder=${shellWord(cwd)}; run ${argv.map(shellWord).join(" ")}\n`;
      if (order.length > longestOrder) return null;
      left.shift();
      shell.stdin?.write(order);
      if (left.length === 0) shell.stdin?.end();
      return commandOf(shell, number);
    },
  };
}

function commandOf(shell: ChildProcess, number: number): RunningCommand {
  const [output, errors, told] = pipesOf(number);
  const { promise: group, resolve: foundGroup } = Promise.withResolvers<number | undefined>();
  let text = "";
  const ended = new Promise<number | null>((resolve) => {
    const telling = pipeOf(shell, told);
    telling.on("data", (chunk: Buffer) => {
      text += chunk;
      foundGroup(Number.parseInt(text, 10));
    });
    telling.once("end", () => {
      telling.destroy();
      foundGroup(undefined);
      const [, code] = text.split("\n");
      resolve(code ? Number(code) : null);
    });
  });
  return {
    ...{ stdin: null, stdout: pipeOf(shell, output), stderr: pipeOf(shell, errors), ended },
    signal: (name) => void group.then((id) => signalGroup(id, name)),
  };
}

function pipesOf(number: number): [number, number, number] {
  const first = firstPipe + number * pipesEach;
  return [first, first + 1, first + 2];
}

function pipeOf(shell: ChildProcess, id: number): Readable {
  return shell.stdio[id] as Readable;
}
