// Explains the code host's reasons for refusing a push, and what to do. The gateway cannot know
// them in advance: a pack omits the trees that the repository has, so the gateway does not see all
// paths.
import type { PushHead } from "./push-commands.ts";

const reportBytesMax = 64 * 1_024;
const packetMax = 65_520;
/** A packet starts with its length and its band. */
const bandedMax = packetMax - 5;

/**
 * Explains that a push changes workflows without the required permission; null for any other
 * reason.
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
  { capabilities }: Pick<PushHead, "capabilities">,
  explain: (reason: string) => string | null,
): TransformStream<Uint8Array, Uint8Array> {
  const isBanded = capabilities.includes("side-band-64k");
  let unread = "";
  let report = "";
  let isRaw = false;

  /**
   * Takes the complete packets out of `unread`. Progress is forwarded immediately; the report is
   * buffered until its end.
   */
  function takeBands(): string {
    let passed = "";
    for (;;) {
      const length = Number.parseInt(unread.slice(0, 4), 16);
      if (unread.length < 4 || unread.length < length) return passed;
      if (!(length <= packetMax) || (length > 0 && length < 5)) {
        isRaw = true;
        return passed;
      }
      const packet = unread.slice(0, Math.max(4, length));
      unread = unread.slice(packet.length);
      if (length === 0) passed += banded(explained(report)) + packet;
      else if (packet[4] !== "\x01") passed += packet;
      if (length === 0) report = "";
      else if (packet[4] === "\x01") report += packet.slice(5);
    }
  }

  /** The report with its reasons explained. */
  function explained(text: string): string {
    let words = "";
    for (let at = 0; at < text.length; ) {
      const length = Number.parseInt(text.slice(at, at + 4), 16);
      if (!(length === 0 || (length > 4 && at + length <= text.length))) return text;
      const line = text.slice(at + 4, at + Math.max(4, length));
      const [, ref, reason = ""] = /^ng (\S+) (.*)\n?$/.exec(line) ?? [];
      const said = ref === undefined ? null : explain(reason);
      words += said === null ? text.slice(at, at + Math.max(4, length)) : toPacket(`ng ${ref} ${said}\n`);
      at += Math.max(4, length);
    }
    return words;
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

  function banded(text: string): string {
    if (!isBanded) return text;
    let packets = "";
    for (let at = 0; at < text.length; at += bandedMax) packets += toPacket(`\x01${text.slice(at, at + bandedMax)}`);
    return packets;
  }
}

const toPacket = (text: string) => `${(text.length + 4).toString(16).padStart(4, "0")}${text}`;
/** One character for each byte. */
const asBinary = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
const asBytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
