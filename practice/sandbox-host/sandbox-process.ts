// A running sandbox: the program's process and its port.
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Isolation } from "./isolation.ts";
import { machineOf } from "./machine.ts";

export interface SandboxProcess {
  root: string;
  /** The port of the program. */
  port: number;
  /** Settles when the process has ended, for any reason. */
  ended: Promise<void>;
  /** Ends the process and everything it started. */
  end(): Promise<void>;
}

export interface SandboxProcessOptions {
  isolation: Isolation;
  programFile: string;
  root: string;
  secret: string;
  env: Record<string, string>;
}

/** As in the container image, so that the garbage of streamed bodies is collected early. */
const smallHeap = "--max-semi-space-size=2";
/** Without it, a signal opens the inspector, which gives access to all of the program's memory. */
const noInspector = "--disable-sigusr1";
const startTimeoutMs = 30_000;
const endTimeoutMs = 3_000;

/**
 * The folder of Node's compiled code of a program, which saves a fifth of the start time. Isolated
 * sandboxes cannot write to it, because other sandboxes would run what one wrote.
 */
export const compiledFolder = (programFile: string): string => join(dirname(programFile), "compiled");

/** Starts the program and waits for its port. */
export async function startSandboxProcess({
  isolation,
  programFile,
  root,
  secret,
  env,
}: SandboxProcessOptions): Promise<SandboxProcess> {
  await mkdir(root, { recursive: true });
  const machine = machineOf(process.env);
  // In its own process session, Ctrl-C in the terminal reaches only the host, which then ends its
  // sandboxes.
  const child = isolation.spawn({
    argv: [process.execPath, smallHeap, noInspector, programFile],
    root,
    readable: [
      ...[programFile, join(dirname(programFile), "archiver.cjs"), compiledFolder(programFile)],
      ...machine.files,
    ],
    env: {
      ...env,
      PATH: machine.path,
      LANG: process.env.LANG ?? "C.UTF-8",
      HOME: `${root}/home`,
      NODE_COMPILE_CACHE: compiledFolder(programFile),
      PORT: "0",
      HOST: "127.0.0.1",
      SANDBOX_SECRET: secret,
      SANDBOX_ROOT: root,
      SANDBOX_PORTS: "mapped",
      SANDBOX_WALL: isolation.wall,
      SANDBOX_COMMAND_ENV: JSON.stringify(machine.variables),
      // The program ends when its stdin closes, so a killed host takes its sandboxes with it.
      SANDBOX_LEASH: "stdin",
    },
  });
  child.stdin.on("error", () => {});
  child.stderr.on("data", (text: Buffer) => process.stderr.write(text));
  // Not `close`: child processes of the program may hold its pipes for longer.
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));

  async function end(): Promise<void> {
    child.stdin.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), endTimeoutMs);
    await ended;
    clearTimeout(timer);
  }

  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The sandbox program did not start in time.")), startTimeoutMs);
    createInterface({ input: child.stdout }).once("line", (line) => {
      clearTimeout(timer);
      resolve(JSON.parse(line).port);
    });
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      reject(new Error(`The sandbox program ended at its start (${signal ?? code}).`)),
    );
  }).catch(async (error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });

  return { root, port, ended, end };
}
