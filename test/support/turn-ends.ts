// How turns end in random runs: more often well than not.
import type { TurnEnd } from "../../src/chat/rules/turn-end.ts";

export const turnEnds: readonly [TurnEnd, ...TurnEnd[]] = [
  { status: "completed" },
  { status: "completed" },
  { status: "completed" },
  { status: "awaiting_response" },
  { status: "cancelled" },
  { status: "failed", error: "It broke.", errorCode: null },
];
