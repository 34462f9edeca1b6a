// Validates the events of a turn link, because a sandbox runs untrusted code.
import * as z from "zod";
import { toolOutputBytes, turnLinkBytes } from "../rules/limits.ts";
import type { LinkEvent, LinkOutput, TurnOutcome } from "../sandbox-protocol/protocol.ts";
import { blockSchema } from "./wire/block.ts";

/**
 * Four times the longest frame of a program. Even in its longest encoding, a frame of this length
 * fits into a row of the object's storage.
 */
const frameCharacters = 512 * 1_024;

const place = z.int().min(0);

const commit = z
  .string()
  .regex(/^[0-9a-f]{40,64}$/)
  .optional();

/** Longer error messages are cut to this length. */
const errorCharacters = 8_000;
const error = z.string().transform((text) => text.slice(0, errorCharacters));
/** A code, a version or an id. */
const name = z.string().max(200);

const outcomeSchema = z.discriminatedUnion("status", [
  z.object({ status: z.enum(["completed", "awaiting_response", "cancelled"]) }),
  z.object({ status: z.literal("failed"), error, errorCode: name.nullable() }),
]);

const eventSchema = z.object({
  seq: z.int().min(1),
  event: z.discriminatedUnion("type", [
    z.object({ type: z.literal("started"), agentVersion: name, targetCommit: commit }),
    z.object({ type: z.literal("block"), index: place, block: blockSchema }),
    z.object({ type: z.literal("text"), index: place, delta: z.string() }),
    z.object({ type: z.literal("steer"), steerId: name, outcome: z.enum(["taken", "returned"]) }),
    z.object({ type: z.literal("log"), lines: z.string() }),
    z.object({ type: z.literal("ended"), outcome: outcomeSchema, targetCommit: commit }),
  ]),
});

const outputSchema = z.object({
  output: z.object({ index: place, at: place, text: z.string().min(1).max(toolOutputBytes) }),
});

const frameSchema = z.union([eventSchema, outputSchema]);

/** Parses a frame of a turn link; null if it is invalid. */
export function readLinkFrame(frame: string | ArrayBuffer): LinkEvent | LinkOutput | null {
  try {
    const text = typeof frame === "string" ? frame : new TextDecoder().decode(frame);
    if (text.length > frameCharacters) return null;
    return frameSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The outcome of a turn whose sandbox sends an invalid event. */
export const invalidEventOutcome: TurnOutcome = {
  status: "failed",
  error: "The sandbox sent something that could not be read. Send the message again.",
  errorCode: null,
};

/** The outcome of a turn whose events exceed the size limit. */
export const sizeLimitOutcome: TurnOutcome = {
  status: "failed",
  error: `The turn wrote more than the ${turnLinkBytes / 2 ** 20} MB that one may hold. Send a message to continue in a new one.`,
  errorCode: null,
};
