// A terminal with the command line: a home of its own, and the key of a person.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createdSessions } from "../../support/client.ts";

/** The program, as its package has it. */
export const program = join(import.meta.dirname, "../../../packages/cli/dist/sy.js");

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Given {
  input?: string;
  env?: Record<string, string>;
  /** The folder of the command; the home by default. */
  cwd?: string;
  /** Another file of the program. */
  program?: string;
  /** The text of stdout after which its reader goes away, as `head` does. */
  until?: string;
  /** Called with all text of stderr so far. */
  onStderr?(text: string): void;
  /** With `until`: the reader stays, and ^C is pressed. */
  interrupts?: boolean;
}

export interface Terminal {
  home: string;
  /** The environment of commands: where the service is, and the owner's key. */
  env: Record<string, string>;
  project: string;
  /** Runs a command. An object among the arguments says how. */
  sy(...given: (string | Given)[]): Promise<Ran>;
  /** Starts a session with a message, and returns the end of its id. */
  start(content: string, ...more: string[]): Promise<string>;
}

/** Opens a terminal for a service, which may be a world. */
export function openTerminal({
  baseUrl,
  users,
  projectId,
}: {
  baseUrl: string;
  users: { owner: { apiKey: string } };
  projectId: string;
}): Terminal {
  const home = mkdtempSync(join(tmpdir(), "sy-home-"));
  const terminal: Terminal = {
    home,
    env: { SWITCHYARD_URL: baseUrl, SWITCHYARD_API_KEY: users.owner.apiKey },
    project: projectId,
    sy(...given) {
      const args = given.filter((one) => typeof one === "string");
      const {
        env = terminal.env,
        cwd = home,
        input = "",
        until,
        interrupts,
        onStderr,
        program: file = program,
      } = given.find((one) => typeof one === "object") ?? {};
      const { PATH = "" } = process.env;
      const child = spawn(process.execPath, [file, ...args], { env: { PATH, HOME: home, ...env }, cwd });
      const ran: Ran = { code: 0, stdout: "", stderr: "" };
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        ran.stdout += text;
        if (until === undefined || !ran.stdout.includes(until)) return;
        if (interrupts) child.kill("SIGINT");
        else child.stdout.destroy();
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        ran.stderr += text;
        onStderr?.(ran.stderr);
      });
      child.stdin.on("error", () => {});
      child.stdin.end(input);
      return new Promise((resolve) =>
        // A shell has the same code for a process that ^C ended.
        child.once("close", (code, signal) => resolve({ ...ran, code: signal === "SIGINT" ? 130 : (code ?? -1) })),
      );
    },
    async start(content, ...more) {
      const created = await terminal.sy("new", "-", "-p", projectId, "--json", ...more, { input: content });
      if (created.code > 6 || created.stdout === "") throw new Error(created.stderr);
      const { id }: { id: string } = JSON.parse(created.stdout);
      createdSessions.set(id, projectId);
      return id.slice(-8);
    },
  };
  return terminal;
}
