// Checks a turn's model call piece by piece, against the shape that the agent sends on its wire and
// against the terms of the turn.

import { type CallRefusal, type CallTerms, checkModelCall } from "../model/rules/grant.ts";
import { createCallReader, unreadableCall } from "./call-reader.ts";
import { callShapes, checkCallEnvelope } from "./rules/call-shape.ts";
import type { UsageWire } from "./rules/reported-usage.ts";

/** The terms of a call on a wire. */
export interface WireTerms extends CallTerms {
  wire: UsageWire;
}

/**
 * Refuses a call before its body is read, for its query, its beta features, or a compressed body.
 */
export function checkCallHead({ wire }: WireTerms, { url, headers }: Pick<Request, "url" | "headers">) {
  const { search } = new URL(url);
  const refusal = checkCallEnvelope(wire, { search, header: (name) => headers.get(name) });
  if (refusal) return refusal;
  return (headers.get("content-encoding") ?? "identity") === "identity" ? null : unreadableCall;
}

export interface CallCheck {
  /** Reads the next bytes. Returns the reason once the call is refused. */
  read(bytes: Uint8Array): CallRefusal | null;
  /** Must be called after the last byte. */
  end(): CallRefusal | null;
}

/** Creates the check of a body. */
export function createCallCheck(terms: WireTerms): CallCheck {
  const reader = createCallReader(callShapes[terms.wire]);
  const checkTerms = () => (reader.isWhole() ? checkModelCall(terms, reader.fields) : null);
  return {
    read: (bytes) => reader.read(bytes) ?? checkTerms(),
    end: () => (reader.isWhole() ? null : unreadableCall),
  };
}
