// The commands at the head of a git push: the refs that it changes. They are read before the push
// is forwarded.
import type { PushCommand } from "../rules/push.ts";
import type { ByteReader } from "./byte-reader.ts";

export interface PushHead {
  commands: PushCommand[];
  capabilities: string[];
  /** The length of the head in bytes, which is the offset of the pack. */
  length: number;
}

const longestHeadBytes = 64 * 1024;
const longestPacketBytes = 65_520;

/**
 * Reads the commands of a push. Null if its head is malformed or contains something else, such as a
 * push certificate.
 */
export async function readPushHead(body: ByteReader): Promise<PushHead | null> {
  const commands: PushCommand[] = [];
  const capabilities: string[] = [];
  for (let at = 0; at < longestHeadBytes; ) {
    const lengthText = asText(await body.slice(at, at + 4));
    if (!/^[0-9a-f]{4}$/i.test(lengthText)) return null;
    const length = Number.parseInt(lengthText, 16);
    if (length === 0) return { commands, capabilities, length: at + 4 };
    if (length < 5 || length > longestPacketBytes) return null;
    const packet = await body.slice(at + 4, at + length);
    if (packet.length < length - 4) return null;
    at += length;
    const line = asText(packet).replace(/\n$/, "");
    // A shallow clone lists the commits at which its history starts.
    if (/^shallow [0-9a-f]{40,64}$/.test(line)) continue;
    const [command = "", asked = ""] = line.split("\0", 2);
    const [, oldId, newId, ref] = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (.+)$/.exec(command) ?? [];
    if (!oldId || !newId || !ref) return null;
    commands.push({ oldId, newId, ref });
    capabilities.push(...asked.split(" ").filter((each) => each !== ""));
  }
  return null;
}

function asText(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
