// A terminal: the object holds the socket of the browser and that of the sandbox program, and
// carries frames between them while the person may have it.
import { log } from "../../src/lib/log.ts";
import { endSocket } from "../../src/preview/host/socket.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { recordChange, recordView } from "../../src/sandbox/rules/lifecycle.ts";
import { findTerminalFacts } from "../../src/terminal/queries.ts";
import {
  findTerminalEnd,
  type TerminalEnd,
  terminalEnds,
  toRefusedEnd,
  toShellEnd,
} from "../../src/terminal/rules/ends.ts";
import { createFlow } from "../../src/terminal/rules/flow.ts";
import { readTerminalCommand, readTerminalReport, type TerminalSize } from "../../src/terminal/rules/frames.ts";
import { terminalUnreadBytes, terminalUntakenBytes, terminalUntypedMs } from "../../src/terminal/rules/limits.ts";
import { connectTerminal, endTerminal, type TerminalGrant } from "../../src/terminal/start.ts";
import { watchEnd } from "../../src/workspace/watch-end.ts";
import type { SandboxContext } from "./context.ts";
import { startRefusal } from "./program-calls.ts";
import { findCurrentSettings } from "./settings.ts";

/** The interval of the check whether the person may still have the terminal. */
const lookEveryMs = 15_000;
/** The program sends its last chunk before it notices that nothing more is read. */
const lastChunkBytes = 128 * 1_024;
/** After this much output was read, the program is notified. */
const readStepBytes = 32 * 1_024;
const sizePauseMs = 50;
const normal = 1000;

/** Opens a terminal. The shell starts after the response, when the sandbox runs. */
export function startTerminal(context: SandboxContext, grant: TerminalGrant): Response {
  const { 0: client, 1: browser } = new WebSocketPair();
  browser.accept();
  holdTerminal(context, grant, browser);
  return new Response(null, { status: 101, webSocket: client });
}

function holdTerminal(context: SandboxContext, { holder, owner, size: firstSize }: TerminalGrant, browser: WebSocket) {
  const { env, calls, shell } = context;
  const output = createFlow(terminalUnreadBytes + lastChunkBytes);
  const input = createFlow(terminalUntakenBytes);
  /** What was typed before the program's socket is open. */
  let early: ArrayBuffer[] = [];
  let size: TerminalSize = firstSize;
  let sentSize: TerminalSize = firstSize;
  let sizeTimer: ReturnType<typeof setTimeout> | null = null;
  /** The output that the program knows to be read. */
  let sentRead = 0;
  let program: WebSocket | null = null;
  let watch: WebSocket | null = null;
  let hasTyped = false;
  let lastKeyAt = Date.now();
  let isOver = false;

  function close(): void {
    if (isOver) return;
    isOver = true;
    clearInterval(look);
    early = [];
    if (sizeTimer !== null) clearTimeout(sizeTimer);
    if (program && program.readyState !== WebSocket.CLOSED) program.close(normal);
    watch?.close(normal);
    // What the person changed is saved.
    if (hasTyped) shell.decide(recordChange);
  }

  function end(why: TerminalEnd): void {
    if (isOver) return;
    endTerminal(browser, why);
    close();
  }

  const findEnd = async () => findTerminalEnd(await findTerminalFacts(env.DB, holder, Date.now()));
  const send = (frame: string | ArrayBuffer) => {
    if (program?.readyState === WebSocket.OPEN) program.send(frame);
  };

  /** If the check fails, the next one repeats it. */
  async function check(): Promise<void> {
    if (Date.now() - lastKeyAt > terminalUntypedMs) {
      end(terminalEnds.untyped);
      return;
    }
    const why = await findEnd().catch(() => null);
    if (why) {
      end(why);
      return;
    }
    if (isOver) return;
    shell.decide(recordView);
    // The program ends a terminal whose service is silent.
    sendRead();
  }

  function sendRead(): void {
    sentRead = output.confirmed();
    send(JSON.stringify({ read: sentRead }));
  }

  /** Sends the newest size, but not each one while a window is dragged. */
  function sendSize(): void {
    if (sizeTimer !== null || program === null || (size.cols === sentSize.cols && size.rows === sentSize.rows)) return;
    sentSize = size;
    send(JSON.stringify({ resize: size }));
    sizeTimer = setTimeout(() => {
      sizeTimer = null;
      sendSize();
    }, sizePauseMs);
  }

  function receiveCommand(text: string): void {
    const command = readTerminalCommand(text);
    if (command === null) {
      end(terminalEnds.frame);
      return;
    }
    // Not every frame is forwarded, because a program that reads none would let them pile up.
    if ("resize" in command) {
      size = command.resize;
      sendSize();
      return;
    }
    output.confirm(command.read);
    if (output.confirmed() - sentRead >= readStepBytes) sendRead();
  }

  function receiveInput(bytes: ArrayBuffer): void {
    if (bytes.byteLength === 0) return;
    lastKeyAt = Date.now();
    hasTyped = true;
    shell.decide(recordView);
    if (!input.add(bytes.byteLength)) {
      end(terminalEnds.input);
      return;
    }
    if (program) send(bytes);
    else early.push(bytes);
  }

  function connect(opened: WebSocket, variables: Record<string, string>): void {
    let sentence: string | null = null;
    opened.binaryType = "arraybuffer";
    opened.addEventListener("message", ({ data }) => {
      if (isOver) return;
      if (typeof data !== "string") {
        const bytes = data as ArrayBuffer;
        if (!output.add(bytes.byteLength)) {
          end(terminalEnds.output);
          return;
        }
        if (browser.readyState === WebSocket.OPEN) browser.send(bytes);
        return;
      }
      const report = readTerminalReport(data);
      if (report === null) return;
      if ("taken" in report) input.confirm(report.taken);
      else sentence = report.end;
    });
    const onEnd = async () => {
      if (sentence !== null) {
        end(toShellEnd(sentence));
        return;
      }
      // A sandbox stops because its session has ended, among others.
      end((await findEnd().catch(() => null)) ?? terminalEnds.sandbox);
    };
    opened.addEventListener("close", () => void onEnd());
    opened.addEventListener("error", () => void onEnd());
    opened.accept();
    program = opened;
    sentSize = size;
    send(JSON.stringify({ open: { ...size, env: variables } }));
    for (const bytes of early) send(bytes);
    early = [];
  }

  /** The workspace closes the watch when the person may have lost access. */
  async function watchAccess(): Promise<void> {
    const opened = await watchEnd(env, owner.workspaceId, { ...holder, projectId: owner.projectId });
    if (!opened) return;
    opened.addEventListener("close", () => void (isOver || check()));
    opened.accept();
    if (isOver) opened.close(normal);
    else watch = opened;
  }

  async function start(): Promise<void> {
    const opened = await calls.wakeAndRun(owner, (sandbox) => connectTerminal(calls.driver, sandbox));
    if (isRefusal(opened)) {
      end(toRefusedEnd(opened.message));
      return;
    }
    try {
      const settings = await findCurrentSettings(context, owner.projectId);
      // The person may have lost access while the sandbox started.
      const why = await findEnd();
      if (why) end(why);
      if (!isOver) connect(opened, settings?.env ?? {});
    } finally {
      if (program === null) {
        opened.accept();
        opened.close(normal);
      }
    }
  }

  const look = setInterval(() => void check(), lookEveryMs);
  browser.binaryType = "arraybuffer";
  browser.addEventListener("message", ({ data }) => {
    if (isOver) return;
    if (typeof data === "string") receiveCommand(data);
    else receiveInput(data as ArrayBuffer);
  });
  browser.addEventListener("close", ({ code }) => {
    close();
    endSocket(browser, code);
  });
  browser.addEventListener("error", close);
  shell.decide(recordView);
  void watchAccess();
  start().catch((error: unknown) => {
    log.error("terminal.not_opened", { sandboxKey: calls.key, error });
    end(toRefusedEnd(startRefusal.message));
  });
}
