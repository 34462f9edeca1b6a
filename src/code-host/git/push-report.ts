// The report of a push: whether each ref was updated. The gateway watches the code host's report,
// and explains the reasons in it. It writes its own report to refuse a push with a reason that git
// shows.
import { toPattern } from "../../rules/text.ts";
import type { PushCommand } from "../rules/push.ts";
import { flushPacket, formatPacket, packetMax, readPackets } from "./packet-line.ts";
import type { PushHead } from "./push-commands.ts";

const encoder = new TextEncoder();
/** The length up to which a report is read. A longer report is still forwarded. */
const reportBytesMax = 64 * 1_024;
/** A packet starts with its length and its band. */
const bandedMax = packetMax - 5;

/** True if the client asks for a report, as git always does. */
export function isReportWanted({ capabilities }: PushHead): boolean {
  return capabilities.includes("report-status") || capabilities.includes("report-status-v2");
}

/** True if the report is in band 1. The other bands carry progress and errors for the user. */
function isInBand({ capabilities }: Pick<PushHead, "capabilities">): boolean {
  return capabilities.includes("side-band-64k");
}

const isOfReport = (packet: string) => packet[4] === "\x01";

/** The report that refuses every command of a push. */
export function formatRefusalReport(head: PushHead, reason: string): string {
  const packet = (line: string) => formatPacket(line, encoder.encode(line).length);
  const lines = ["unpack ok\n", ...head.commands.map(({ ref }) => `ng ${ref} ${reason}\n`)];
  const report = lines.map(packet).join("") + flushPacket;
  return isInBand(head) ? packet(`\x01${report}`) + flushPacket : report;
}

/**
 * Forwards a report unchanged. If the report says that the command's ref was updated, `onUpdated`
 * is awaited before the end of the report is forwarded.
 */
export function watchReport(
  head: PushHead,
  { ref }: PushCommand,
  onUpdated: () => Promise<void>,
): TransformStream<Uint8Array, Uint8Array> {
  const isBanded = isInBand(head);
  let unread = "";
  let report = "";

  function read(chunk: Uint8Array): void {
    const { packets, rest } = readPackets(unread + new TextDecoder("latin1").decode(chunk));
    unread = rest;
    for (const packet of packets) {
      if (!isBanded) report += `${packet.slice(4)}\n`;
      else if (isOfReport(packet)) report += packet.slice(5);
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

/**
 * Explains that a push changes workflows without the required permission; null for any other
 * reason. The gateway cannot know it in advance: a pack omits the trees that the repository has, so
 * the gateway does not see all paths.
 */
export function explainWorkflows(reason: string): string | null {
  if (!/\bworkflow/i.test(reason) || !/permission|scope/i.test(reason)) return null;
  return (
    "this push changes .github/workflows, which sessions may not push here: take these files out of the commits, " +
    "or ask the operator of the service to set CODE_HOST_WORKFLOWS"
  );
}

/**
 * Forwards a report with the reasons that `explain` replaces. A report that is too long or
 * malformed is forwarded unchanged.
 */
export function explainReport(
  head: Pick<PushHead, "capabilities">,
  explain: (reason: string) => string | null,
): TransformStream<Uint8Array, Uint8Array> {
  const isBanded = isInBand(head);
  let unread = "";
  let report = "";
  let isRaw = false;

  /**
   * Takes the complete packets out of `unread`. Progress is forwarded immediately; the report is
   * buffered until its end.
   */
  function takeBands(): string {
    let passed = "";
    const { packets, isMalformed } = readPackets(unread);
    for (const packet of packets) {
      isRaw = isEmpty(packet);
      if (isRaw) return passed;
      unread = unread.slice(packet.length);
      if (packet === flushPacket) {
        passed += banded(explained(report)) + packet;
        report = "";
      } else if (isOfReport(packet)) report += packet.slice(5);
      else passed += packet;
    }
    isRaw = isMalformed;
    return passed;
  }

  /** The report with its reasons explained. */
  function explained(text: string): string {
    const { packets, rest } = readPackets(text);
    if (rest !== "" || packets.some(isEmpty)) return text;
    const explainOne = (packet: string) => {
      const [, ref, reason = ""] = /^ng (\S+) (.*)\n?$/.exec(packet.slice(4)) ?? [];
      const said = ref === undefined ? null : explain(reason);
      return said === null ? packet : formatPacket(`ng ${ref} ${said}\n`);
    };
    return packets.map(explainOne).join("");
  }

  function banded(text: string): string {
    if (!isBanded) return text;
    let packets = "";
    for (let at = 0; at < text.length; at += bandedMax)
      packets += formatPacket(`\x01${text.slice(at, at + bandedMax)}`);
    return packets;
  }

  return new TransformStream({
    transform(chunk, controller) {
      unread += asBinary(chunk);
      if (isBanded && !isRaw) controller.enqueue(asBytes(takeBands()));
      if (unread.length + report.length > reportBytesMax + packetMax) isRaw = true;
      if (!isRaw) return;
      controller.enqueue(asBytes(banded(report) + unread));
      report = "";
      unread = "";
    },
    flush(controller) {
      controller.enqueue(asBytes(isBanded ? banded(report) + unread : explained(unread)));
    },
  });
}

/** True for a length without content, which no report has. */
const isEmpty = (packet: string) => packet.length === 4 && packet !== flushPacket;
/** One character for each byte. */
const asBinary = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
const asBytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
