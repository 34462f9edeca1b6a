// The built sandbox program as a process of the test's own, in a folder that goes with it.
import { type ChildProcess, spawn } from "node:child_process";
import { chown, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { inject } from "vitest";
import { getCompiledFolder } from "../../../practice/sandbox-host/sandbox-process.ts";
import { deleteFolder } from "../../../sandbox-program/archive/folder-removal.ts";
import { carriedPortHeader, carrierHeader } from "../../../src/sandbox-protocol/headers.ts";
import "./program-file.ts";

export interface Program {
  root: string;
  url: string;
  process: ChildProcess;
  /** Calls the program as the service does. */
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Asks a service of the sandbox, by its declared port, as a preview does. */
  visit(port: number, path: string, init?: RequestInit): Promise<Response>;
  /** A call with nothing added. */
  raw(path: string, init: RequestInit): Promise<Response>;
  /** Ends the program; its folder stays when it is to be started again. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  remove(): Promise<void>;
}

export interface Answer {
  status: number;
  /** The JSON body; null when there is none. */
  body: Record<string, unknown> | null;
}

export const secret = "the-sandbox-secret-1234567890";

export const programFile = (): string => inject("sandboxProgramFile");

/** A Node that every user of the machine can run. */
export const nodeFile = (): string => inject("nodeFile");

/**
 * Behind the wall of users the program starts as the image starts it: as a user of its own, whose
 * folder is its own.
 */
async function asImageStarts(folder: string, argv: string[]): Promise<string[]> {
  const program = 990;
  await chown(folder, program, program);
  const identity = [`--reuid=${program}`, `--regid=${program}`, "--clear-groups"];
  const abilities = ["inh", "ambient"].map((set) => `--${set}-caps=-all,+setuid,+setgid`);
  return ["setpriv", ...identity, ...abilities, "--", ...argv];
}

/** Starts the program on a free port. */
export async function startProgram({
  root,
  env = {},
}: {
  root?: string;
  env?: Record<string, string>;
} = {}): Promise<Program> {
  const folder = root ?? (await mkdtemp(join(tmpdir(), "sandbox-")));
  const argv = [nodeFile(), "--disable-sigusr1", programFile()];
  const [file = "", ...args] = env.SANDBOX_WALL === "users" ? await asImageStarts(folder, argv) : argv;
  const child = spawn(file, args, {
    env: {
      PATH: process.env.PATH ?? "",
      PORT: "0",
      HOST: "127.0.0.1",
      SANDBOX_SECRET: secret,
      SANDBOX_ROOT: folder,
      SANDBOX_LEASH: "stdin",
      SANDBOX_PORTS: "mapped",
      NODE_COMPILE_CACHE: getCompiledFolder(programFile()),
      ...env,
    },
    // The folder of this process may be closed to the user that the program becomes.
    cwd: folder,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The program ended with ${code}.`)));
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line).port));
  });
  const url = `http://127.0.0.1:${port}`;

  async function kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  return {
    root: folder,
    url,
    process: child,
    async call(method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? null : JSON.parse(text) };
    },
    visit(port, path, init) {
      const headers = new Headers(init?.headers);
      headers.set(carriedPortHeader, String(port));
      headers.set(carrierHeader, secret);
      return fetch(`${url}${path}`, { ...init, headers });
    },
    raw: (path, init) => fetch(`${url}${path}`, init),
    kill,
    async remove() {
      child.stdin?.end();
      await kill("SIGTERM");
      await deleteFolder(folder);
    },
  };
}
