// The report of a push: whether each ref was updated. The gateway watches the code host's report.
// It writes its own report to refuse a push with a reason that git shows.
import { toPattern } from "../../rules/text.ts";
import type { PushCommand } from "../rules/push.ts";
import type { PushHead } from "./push-commands.ts";

const encoder = new TextEncoder();
const packet = (line: string) => `${(encoder.encode(line).length + 4).toString(16).padStart(4, "0")}${line}`;
/** The length up to which a report is read. A longer report is still forwarded. */
const reportBytesMax = 64 * 1_024;
const packetMax = 65_520;

/** True if the client asks for a report, as git always does. */
export function isReportWanted({ capabilities }: PushHead): boolean {
  return capabilities.includes("report-status") || capabilities.includes("report-status-v2");
}

/** The report that refuses every command of a push. */
export function formatRefusalReport({ commands, capabilities }: PushHead, reason: string): string {
  const lines = ["unpack ok\n", ...commands.map(({ ref }) => `ng ${ref} ${reason}\n`)];
  const report = `${lines.map(packet).join("")}0000`;
  return capabilities.includes("side-band-64k") ? `${packet(`\x01${report}`)}0000` : report;
}

/**
 * Forwards a report unchanged. If the report says that the command's ref was updated, `onUpdated`
 * is awaited before the end of the report is forwarded.
 */
export function watchReport(
  { capabilities }: PushHead,
  { ref }: PushCommand,
  onUpdated: () => Promise<void>,
): TransformStream<Uint8Array, Uint8Array> {
  const isBanded = capabilities.includes("side-band-64k");
  let unread = "";
  let report = "";

  function read(chunk: Uint8Array): void {
    unread += new TextDecoder("latin1").decode(chunk);
    for (;;) {
      const length = Number.parseInt(unread.slice(0, 4), 16);
      if (!(length <= packetMax) || unread.length < Math.max(4, length)) return;
      const line = unread.slice(4, Math.max(4, length));
      unread = unread.slice(Math.max(4, length));
      // The report is in band 1; the other bands carry progress and errors for the user.
      if (isBanded && line.startsWith("\x01")) report += line.slice(1);
      if (!isBanded) report += `${line}\n`;
    }
  }

  return new TransformStream({
    transform(chunk, controller) {
      if (unread.length + report.length < reportBytesMax + packetMax) read(chunk);
      controller.enqueue(chunk);
    },
    async flush() {
      if (new RegExp(`(^|\\n|[0-9a-f]{4})ok ${toPattern(ref)}(\\n|$)`).test(report)) await onUpdated();
    },
  });
}
