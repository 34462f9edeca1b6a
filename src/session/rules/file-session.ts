// Sessions that the agent of a session files: how deep they go, and how many one turn files.
// Without an end, agents would start agents, and nobody would have asked for any of it.

import { filedDepthMax, filedPerTurnMax } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { Session } from "./session.ts";

/**
 * The depth of one more session that the agent of this one files. Refuses with FORBIDDEN, as no
 * wait and no repeat changes it.
 */
export function depthOfFiled(
  { filedDepth }: Pick<Session, "filedDepth">,
  filedInTurn: number,
): { filedDepth: number } | Refusal {
  if (filedDepth >= filedDepthMax) {
    return refuse(
      "FORBIDDEN",
      `Agents file sessions ${filedDepthMax} deep, and this one is the last. Say in your answer what is to be filed, so that a member can.`,
    );
  }
  if (filedInTurn >= filedPerTurnMax) {
    return refuse(
      "FORBIDDEN",
      `A turn files ${filedPerTurnMax} sessions at most, and this one has. Say in your answer what is left, so that a member can ask for it.`,
    );
  }
  return { filedDepth: filedDepth + 1 };
}
