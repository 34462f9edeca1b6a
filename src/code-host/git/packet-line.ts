// Git's packets: the length of the whole packet in four hexadecimal digits, then the content. In
// the texts here, each character is one byte.

/** The most bytes that a packet may have. */
export const packetMax = 65_520;
/** The packet without content, which ends a list of packets. */
export const flushPacket = "0000";

/** Formats a packet. `bytes` is the length of a content that is not yet encoded. */
export function formatPacket(content: string, bytes = content.length): string {
  return `${(bytes + 4).toString(16).padStart(4, "0")}${content}`;
}

/**
 * Splits a text into its packets. `rest` is what follows the last complete packet; it is malformed
 * if no further text can make a packet of it.
 */
export function readPackets(text: string): { packets: string[]; rest: string; isMalformed: boolean } {
  const packets: string[] = [];
  for (let at = 0; ; ) {
    const length = Number.parseInt(text.slice(at, at + 4), 16);
    const end = at + Math.max(4, length);
    const isLength = length <= packetMax;
    if (!isLength || text.length < end)
      return { packets, rest: text.slice(at), isMalformed: !isLength && text.length >= at + 4 };
    packets.push(text.slice(at, end));
    at = end;
  }
}
