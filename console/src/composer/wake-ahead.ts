// Wakes the sandbox of a session while its next message is written. The wake is then done, or
// nearly so, when the message is sent.
import type { Schemas } from "@switchyard/client";
import { service } from "../api.ts";
import type { SessionPath } from "./deliver.ts";
import type { Phase } from "./send-rules.ts";

/** The page of a person who writes is in front, so that the sandbox stays up once it is awake. */
const againMs = 120_000;

export interface Written {
  status: Schemas["SessionStatus"];
  phase: Phase;
  text: string;
  /** When the sandbox was last woken for this session; null if it was not. */
  wokenAt: number | null;
}

/** True if a message is written that will start a turn, and the sandbox may be asleep. */
export function wakesAhead({ status, phase, text, wokenAt }: Written, now: number): boolean {
  const startsTurn = status === "active" && (phase === "idle" || phase === "asks");
  return startsTurn && text.trim() !== "" && (wokenAt === null || now - wokenAt >= againMs);
}

const wokenAt = new Map<string, number>();

/** Wakes the sandbox if the message that is written will need it. */
export function wakeAhead({ projectId, sessionId }: SessionPath, written: Omit<Written, "wokenAt">): void {
  const now = Date.now();
  if (!wakesAhead({ ...written, wokenAt: wokenAt.get(sessionId) ?? null }, now)) return;
  wokenAt.set(sessionId, now);
  service
    .request("GET /api/projects/{projectId}/preview", { path: { projectId }, query: { sessionId } })
    // The message itself says what is in its way.
    .catch(() => {});
}
