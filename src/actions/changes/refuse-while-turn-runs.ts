// The checkout of a session is its turn's while one runs (Part 1, "Files and commits": JOB_ACTIVE).
import { sessionObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";

/** Refuses what is done by hand while a turn runs. */
export async function refuseWhileTurnRuns(env: Env, sessionId: string): Promise<Refusal | null> {
  const seen = await sessionObject(env, sessionId).version();
  if (isRefusal(seen)) return seen;
  return seen.runningTurnId === null ? null : refuse("JOB_ACTIVE");
}
