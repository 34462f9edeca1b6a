// A terminal of a sandbox program, as the service opens it.
import { terminalPath } from "../../../src/terminal/rules/frames.ts";
import { until } from "../../support/until.ts";
import { type Program, secret } from "./program.ts";

export interface OpenedTerminal {
  /** Everything that was printed so far. */
  printed(): string;
  printedBytes(): number;
  /** All text frames so far. */
  reports: string[];
  send(frame: unknown): void;
  type(text: string): void;
  /** Types a line, and waits for a text that only its output has. */
  run(line: string, output: string): Promise<string>;
  close(): void;
  closed: Promise<number>;
}

/** Opens a terminal. Reports its output as read, unless `isSlow`. */
export async function openTerminal(
  program: Program,
  { env = {}, isSlow = false }: { env?: Record<string, string>; isSlow?: boolean } = {},
): Promise<OpenedTerminal> {
  const socket = new WebSocket(`${program.url.replace("http", "ws")}${terminalPath}`, {
    headers: { authorization: `Bearer ${secret}` },
  } as unknown as string[]);
  socket.binaryType = "arraybuffer";
  const chunks: Buffer[] = [];
  const reports: string[] = [];
  let bytes = 0;
  const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
  const send = (frame: unknown) => socket.send(JSON.stringify(frame));
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") return void reports.push(data);
    chunks.push(Buffer.from(data as ArrayBuffer));
    bytes += (data as ArrayBuffer).byteLength;
    if (!isSlow) send({ read: bytes });
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  send({ open: { cols: 101, rows: 31, env } });
  const printed = () => Buffer.concat(chunks).toString();
  const type = (text: string) => socket.send(Buffer.from(text));
  return {
    printed,
    printedBytes: () => bytes,
    reports,
    send,
    type,
    async run(line, output) {
      const before = printed().length;
      type(`${line}\r`);
      return await until(output, () => printed().slice(before).includes(output) && printed().slice(before));
    },
    close: () => socket.close(),
    closed,
  };
}
