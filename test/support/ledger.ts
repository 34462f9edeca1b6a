// A ledger outside of all sandboxes: shell commands of a turn write lines to it, which survive the
// turn.
import { createServer } from "node:net";

export interface Ledger {
  lines: string[];
  /** A shell command that writes a line. */
  entry(line: string): string;
  count(line: string): number;
  close(): Promise<void>;
}

/** Opens a ledger on loopback, which sandboxes reach in a world that shares its network. */
export async function openLedger(): Promise<Ledger> {
  const lines: string[] = [];
  const server = createServer((socket) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (piece) => {
      text += piece;
      const whole = text.split("\n");
      text = whole.pop() ?? "";
      lines.push(...whole);
    });
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    lines,
    entry: (line) => `echo ${line} > /dev/tcp/127.0.0.1/${port}`,
    count: (line) => lines.filter((other) => other === line).length,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
