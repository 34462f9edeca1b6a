// What a reader of the events would see: the blocks in their places, each as it is after the last
// event.
import type { Block } from "../../../src/chat/rules/block.ts";
import type { LinkEvent } from "../../../src/sandbox-protocol/protocol.ts";

/** The blocks after these events. */
export function listBlocks(events: LinkEvent[]): Block[] {
  const blocks: Block[] = [];
  for (const { event } of events) {
    if (event.type === "block") blocks[event.index] = event.block;
    if (event.type !== "text") continue;
    const grown = blocks[event.index];
    if (grown?.type !== "text") throw new Error(`Text for ${event.index}, which is not a text.`);
    blocks[event.index] = { ...grown, content: grown.content + event.delta };
  }
  return blocks;
}

/** The output of the tools, joined. */
export function getOutput(events: LinkEvent[]): string {
  return listBlocks(events)
    .map((block) => (block.type === "tool" ? (block.output ?? "") : ""))
    .join("");
}

/** The texts, joined. */
export function getText(events: LinkEvent[]): string {
  return listBlocks(events)
    .map((block) => (block.type === "text" ? block.content : ""))
    .join("");
}
