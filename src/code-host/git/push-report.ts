// What a code host says of a push: whether each ref was changed. The gateway listens to it, and speaks it to refuse in words that git shows.
import type { PushCommand, PushHead } from "./push-commands.ts";

const encoder = new TextEncoder();
const packet = (line: string) => `${(encoder.encode(line).length + 4).toString(16).padStart(4, "0")}${line}`;
/** A report is short; what else is said beside it is not listened to. */
const reportBytesMax = 64 * 1_024;
const packetMax = 65_520;

/** True for a push that wants to hear what became of it, as every push of git does. */
export function wantsReport({ capabilities }: PushHead): boolean {
  return capabilities.includes("report-status") || capabilities.includes("report-status-v2");
}

/** The answer that refuses every command of a push, in its own format. */
export function refusalReport({ commands, capabilities }: PushHead, reason: string): string {
  const lines = ["unpack ok\n", ...commands.map(({ ref }) => `ng ${ref} ${reason}\n`)];
  const report = `${lines.map(packet).join("")}0000`;
  return capabilities.includes("side-band-64k") ? `${packet(`\x01${report}`)}0000` : report;
}

/** Passes an answer on as it comes. `changed` is called before its end when it says that the ref of the command was changed. */
export function listenToReport(
  { capabilities }: PushHead,
  { ref }: PushCommand,
  changed: () => Promise<void>,
): TransformStream<Uint8Array, Uint8Array> {
  const isBanded = capabilities.includes("side-band-64k");
  let unread = "";
  let report = "";

  function listen(chunk: Uint8Array): void {
    unread += new TextDecoder("latin1").decode(chunk);
    for (;;) {
      const length = Number.parseInt(unread.slice(0, 4), 16);
      if (!(length <= packetMax) || unread.length < Math.max(4, length)) return;
      const said = unread.slice(4, Math.max(4, length));
      unread = unread.slice(Math.max(4, length));
      // Progress has a band of its own, and says nothing that counts.
      if (isBanded && said.startsWith("\x01")) report += said.slice(1);
      if (!isBanded) report += `${said}\n`;
    }
  }

  return new TransformStream({
    transform(chunk, controller) {
      if (unread.length + report.length < reportBytesMax + packetMax) listen(chunk);
      controller.enqueue(chunk);
    },
    async flush() {
      if (new RegExp(`(^|\\n|[0-9a-f]{4})ok ${escaped(ref)}(\\n|$)`).test(report)) await changed();
    },
  });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
