// What comes over a turn link, checked before anything believes it: a sandbox runs code that nobody has read.
import * as z from "zod";
import { blockSchema } from "../resources/block.ts";
import type { LinkEvent, TurnOutcome } from "./protocol.ts";

/** Four times what a program sends at most, and with every character at its longest still less than a row of storage may hold. */
const frameCharacters = 512 * 1_024;

const place = z.int().min(0);

const commit = z
  .string()
  .regex(/^[0-9a-f]{40,64}$/)
  .optional();

const outcomeSchema = z.discriminatedUnion("status", [
  z.object({ status: z.enum(["completed", "awaiting_response", "cancelled"]) }),
  z.object({ status: z.literal("failed"), error: z.string(), errorCode: z.string().nullable() }),
]);

const eventSchema = z.object({
  seq: z.int().min(1),
  event: z.discriminatedUnion("type", [
    z.object({ type: z.literal("started"), agentVersion: z.string(), targetCommit: commit }),
    z.object({ type: z.literal("block"), index: place, block: blockSchema }),
    z.object({ type: z.literal("text"), index: place, delta: z.string() }),
    z.object({ type: z.literal("steer"), steerId: z.string(), outcome: z.enum(["taken", "returned"]) }),
    z.object({ type: z.literal("ended"), outcome: outcomeSchema, targetCommit: commit }),
  ]),
});

/** Reads a frame of a turn link; null for one that makes no sense. */
export function readLinkEvent(frame: string | ArrayBuffer): LinkEvent | null {
  try {
    const text = typeof frame === "string" ? frame : new TextDecoder().decode(frame);
    if (text.length > frameCharacters) return null;
    return eventSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** What becomes of a turn whose sandbox sends what cannot be read. */
export const unreadable: TurnOutcome = {
  status: "failed",
  error: "The sandbox sent something that could not be read. Send the message again.",
  errorCode: null,
};
