// Sessions that the agent of a session files: how deep they may nest, and how many one turn may
// file. Without these limits, agents could start agents endlessly, without a request from a person.

import { filedDepthMax, filedPerTurnMax } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { Session } from "./session.ts";

/**
 * The depth of another session that this session's agent files. Refuses with FORBIDDEN, because
 * neither waiting nor repeating helps.
 */
export function getFiledDepth(
  { filedDepth }: Pick<Session, "filedDepth">,
  filedInTurn: number,
): { filedDepth: number } | Refusal {
  if (filedDepth >= filedDepthMax) {
    return refuse(
      "FORBIDDEN",
      `Agents file sessions at most ${filedDepthMax} levels deep. Say in your answer what is left, so that a member can file it.`,
    );
  }
  if (filedInTurn >= filedPerTurnMax) {
    return refuse(
      "FORBIDDEN",
      `A turn files at most ${filedPerTurnMax} sessions. Say in your answer what is left, so that a member can file it.`,
    );
  }
  return { filedDepth: filedDepth + 1 };
}
