// The terminals of a sandbox. Each is a shell at the other end of a WebSocket from the service, and
// ends with it: then every process that it started is killed.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { readTerminalCommand, readTerminalOpening, type TerminalOpening } from "../../src/terminal/rules/frames.ts";
import { terminalsMax, terminalUnreadBytes, terminalUntakenBytes } from "../../src/terminal/rules/limits.ts";
import type { Folders } from "../folders.ts";
import { receiveWebSocket, type ServerSocket, type SocketListener } from "../http/web-socket.ts";
import { createProcessFamily } from "../process/process-family.ts";
import { readProject } from "../project/checkout-record.ts";
import { type Shell, startShell } from "./shell.ts";

export interface Terminals {
  /** Opens a terminal. False for a request that is no WebSocket handshake. */
  open(request: IncomingMessage, connection: Duplex, head: Buffer): boolean;
  /** Ends all terminals, because the program is about to end. Later ones end immediately. */
  stopAll(): Promise<void>;
}

const ends = {
  shell: "The shell has ended.",
  noCheckout: "The sandbox has no checkout yet.",
  noScript: "This sandbox has no `script` of util-linux, which a terminal needs.",
  failed: "The shell could not be started.",
  leaving: "The sandbox is moving to another machine. Open the terminal again in a minute.",
  tooMany: `${terminalsMax} terminals are open in this sandbox. Close one first.`,
};

const normal = 1000;
const goingAway = 1001;
const unacceptable = 1008;
/** The exit code of a shell that does not find a command. */
const notFound = 127;
/** After this much input, the service is notified that the shell has taken it. */
const takenStepBytes = 32 * 1_024;
/** The service sends a frame every 15 seconds. A silent one no longer has the socket. */
const silenceMs = 90_000;

/** Creates the terminals. The signature identifies the program in each handshake. */
export function createTerminals(
  folders: Folders,
  signature: Record<string, string>,
  report: (error: unknown) => void,
): Terminals {
  const running = new Set<() => Promise<void>>();
  const closing = new Set<Promise<void>>();
  let isLeaving = false;

  function listen(socket: ServerSocket): SocketListener {
    const family = createProcessFamily(folders, "SWITCHYARD_TERMINAL");
    let opening: TerminalOpening["open"] | null = null;
    let shell: Shell | null = null;
    let isOver = false;
    /** What was typed before the shell runs. */
    let early: Buffer[] = [];
    let sent = 0;
    let read = 0;
    let received = 0;
    let taken = 0;
    let reported = 0;
    const silence = setTimeout(() => socket.close(normal), silenceMs);

    const stop = async () => {
      isOver = true;
      clearTimeout(silence);
      running.delete(stop);
      const closed = family.close();
      closing.add(closed);
      await closed.finally(() => closing.delete(closed));
    };

    function end(sentence: string): void {
      socket.sendText(JSON.stringify({ end: sentence }));
      socket.close(normal);
      void stop().catch(report);
    }

    async function start(given: TerminalOpening["open"]): Promise<void> {
      if (isLeaving) {
        end(ends.leaving);
        return;
      }
      if (running.size >= terminalsMax) {
        end(ends.tooMany);
        return;
      }
      if (!readProject(folders)) {
        end(ends.noCheckout);
        return;
      }
      running.add(stop);
      await family.open();
      if (isOver) {
        socket.close(goingAway);
        return;
      }
      const started = startShell(folders, family, given);
      shell = started;
      started.output.on("data", (chunk: Buffer) => {
        socket.sendBytes(chunk);
        sent += chunk.length;
        if (sent - read >= terminalUnreadBytes) started.output.pause();
      });
      for (const bytes of early) write(started, bytes);
      early = [];
      const code = await started.ended;
      // The program ends. The service knows why.
      if (isOver) {
        socket.close(goingAway);
        return;
      }
      if (code === null) end(ends.failed);
      else end(code === notFound && sent === 0 ? ends.noScript : ends.shell);
    }

    function write({ input }: Shell, bytes: Buffer): void {
      received += bytes.length;
      // The service keeps within the limit, so that the socket is always read and its end noticed.
      if (received - taken > terminalUntakenBytes) {
        socket.close(unacceptable);
        return;
      }
      input.write(bytes, () => {
        taken += bytes.length;
        if (taken - reported < takenStepBytes) return;
        reported = taken;
        socket.sendText(JSON.stringify({ taken }));
      });
    }

    function receiveOpening(text: string): void {
      opening = readTerminalOpening(text);
      if (!opening) {
        socket.close(unacceptable);
        return;
      }
      void start(opening).catch((error: unknown) => {
        report(error);
        end(ends.failed);
      });
    }

    function receiveCommand(text: string): void {
      const command = readTerminalCommand(text);
      if (command === null) {
        socket.close(unacceptable);
        return;
      }
      if ("resize" in command) {
        shell?.resize(command.resize);
        return;
      }
      read = Math.min(command.read, sent);
      if (sent - read < terminalUnreadBytes) shell?.output.resume();
    }

    return {
      onBytes(bytes) {
        silence.refresh();
        if (shell) write(shell, bytes);
        else early.push(bytes);
      },
      onText(text) {
        silence.refresh();
        if (opening) receiveCommand(text);
        else receiveOpening(text);
      },
      onClose: () => void stop().catch(report),
    };
  }

  return {
    open: (request, connection, head) => receiveWebSocket(request, connection, head, signature, listen) !== null,
    async stopAll() {
      isLeaving = true;
      await Promise.all([...running].map((stop) => stop()));
      await Promise.all(closing);
    },
  };
}
