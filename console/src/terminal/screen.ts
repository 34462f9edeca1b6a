// The screen of a session's terminal with its socket. It outlives the tab that shows it, so that a
// command continues while the person reads the changes, and ends when they leave the session.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import {
  createReadCounter,
  createTerminalUrl,
  describeEnd,
  limitSize,
  readBinaryInput,
  readEnd,
  splitInput,
} from "./frames.ts";
import { encodeKey, type ScreenKey, withCtrl } from "./keys.ts";
import { onSchemeChange, readTheme } from "./theme.ts";

/** `end` is why the last socket ended, a sentence. */
export type ScreenState = { phase: "connecting" | "open"; end: null } | { phase: "ended"; end: string };

export interface Screen {
  state(): ScreenState;
  subscribe(change: () => void): () => void;
  /** Shows the screen in an element, at its size. Returns how to take it away again. */
  show(host: HTMLElement): () => void;
  focus(): void;
  /** Presses a key that the keyboard lacks. */
  press(key: ScreenKey): void;
  /** True if Ctrl is pressed for the next key. */
  hasCtrl(): boolean;
  setCtrl(isPressed: boolean): void;
  /** Starts another shell on the same screen. */
  connect(): void;
  /** Ends the shell, and everything that it started. */
  close(): void;
}

interface ScreenOptions {
  session: { projectId: string; id: string };
  /** The person leaves the terminal by its key. */
  onLeave(): void;
}

const normal = 1000;
/** Leaves what the last shell may have left on: another screen, colors, a hidden cursor. */
const clean = "\x1b[?1049l\x1b[?2004l\x1b[?1000l\x1b[0m\x1b[?25h";
const fontSize = 13;

/** The screens of this page by session. */
const screens = new Map<string, Screen>();

export const findScreen = (sessionId: string): Screen | null => screens.get(sessionId) ?? null;

/** Opens the terminal of a session. */
export function openScreen({ session, onLeave }: ScreenOptions): Screen {
  const terminal = new Terminal({
    fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
    fontSize,
    scrollback: 5_000,
    minimumContrastRatio: 4.5,
    theme: readTheme(),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  const element = document.createElement("div");
  element.className = "h-full w-full";
  const listeners = new Set<() => void>();
  let socket: WebSocket | null = null;
  let state: ScreenState = { phase: "connecting", end: null };
  let hasCtrl = false;

  const announce = () => {
    for (const change of listeners) change();
  };
  function update(next: ScreenState): void {
    state = next;
    announce();
  }
  function setCtrl(isPressed: boolean): void {
    hasCtrl = isPressed;
    announce();
  }

  const send = (frame: string | Uint8Array<ArrayBuffer>) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(frame);
  };
  const type = (bytes: Uint8Array) => {
    for (const frame of splitInput(bytes)) send(new Uint8Array(frame));
  };
  const encoder = new TextEncoder();
  terminal.onData((text) => {
    type(encoder.encode(hasCtrl ? withCtrl(text) : text));
    // Longer texts are also reports of the screen, which nobody has typed.
    if (hasCtrl && text.length === 1) setCtrl(false);
  });
  terminal.onBinary((text) => type(readBinaryInput(text)));
  terminal.onResize((size) => send(JSON.stringify({ resize: limitSize(size) })));
  terminal.attachCustomKeyEventHandler((event) => {
    const { key, ctrlKey, shiftKey, altKey, metaKey } = event;
    if (key === "Escape" && shiftKey) {
      // Escape would close the panel.
      event.preventDefault();
      if (event.type === "keydown") onLeave();
      return false;
    }
    // The browser copies a selection, and pastes. Without a selection, Ctrl+C interrupts.
    const isPlainCtrl = ctrlKey && !shiftKey && !altKey && !metaKey;
    return !(isPlainCtrl && ((key === "c" && terminal.hasSelection()) || key === "v"));
  });
  const stopScheme = onSchemeChange(() => {
    terminal.options.theme = readTheme();
  });

  function connect(): void {
    if (socket !== null) terminal.write(`${clean}\r\n`);
    update({ phase: "connecting", end: null });
    const opened = new WebSocket(createTerminalUrl(location.origin, session, terminal));
    const size = `${terminal.cols} ${terminal.rows}`;
    const addRead = createReadCounter((read) => send(JSON.stringify({ read })));
    let wasOpen = false;
    let end: string | null = null;
    opened.binaryType = "arraybuffer";
    opened.addEventListener("open", () => {
      wasOpen = true;
      // The window may have another size by now.
      if (size !== `${terminal.cols} ${terminal.rows}`) send(JSON.stringify({ resize: limitSize(terminal) }));
    });
    opened.addEventListener("message", ({ data }) => {
      if (typeof data === "string") {
        end = readEnd(data) ?? end;
        return;
      }
      if (state.phase === "connecting") update({ phase: "open", end: null });
      terminal.write(new Uint8Array(data), () => addRead(data.byteLength));
    });
    opened.addEventListener("close", ({ code }) => {
      if (socket === opened) update({ phase: "ended", end: end ?? describeEnd(code, wasOpen) });
    });
    socket = opened;
  }

  const screen: Screen = {
    state: () => state,
    subscribe(change) {
      listeners.add(change);
      return () => listeners.delete(change);
    },
    show(host) {
      host.append(element);
      if (terminal.element === undefined) terminal.open(element);
      const refit = () => {
        if (element.clientWidth > 0) fit.fit();
      };
      refit();
      if (socket === null) connect();
      const observer = new ResizeObserver(refit);
      observer.observe(host);
      return () => {
        observer.disconnect();
        element.remove();
      };
    },
    focus: () => terminal.focus(),
    press(key) {
      terminal.input(encodeKey(key, { hasCtrl, isApplication: terminal.modes.applicationCursorKeysMode }));
      setCtrl(false);
    },
    hasCtrl: () => hasCtrl,
    setCtrl,
    connect,
    close() {
      screens.delete(session.id);
      stopScheme();
      const closed = socket;
      socket = null;
      closed?.close(normal);
      terminal.dispose();
    },
  };
  screens.set(session.id, screen);
  return screen;
}
