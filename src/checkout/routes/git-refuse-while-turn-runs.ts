// A running turn owns the checkout of its session (Part 1, "Files and commits": JOB_ACTIVE).
import { sessionObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";

/** Refuses changes by hand with JOB_ACTIVE while a turn runs. */
export async function refuseWhileTurnRuns(env: Env, sessionId: string): Promise<Refusal | null> {
  const seen = await sessionObject(env, sessionId).version();
  if (isRefusal(seen)) return seen;
  return seen.runningTurnId === null ? null : refuse("JOB_ACTIVE");
}
