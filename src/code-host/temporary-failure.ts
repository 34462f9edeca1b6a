// What work that is repeated until it succeeds does with the answer of the code host.
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { noAccess } from "./github/call.ts";

/** The answer; null for what the code host does not have. Throws if it has to be asked again. */
export async function findOrThrow<Answer>(call: Promise<Answer | Refusal>): Promise<Answer | null> {
  const answer = await call;
  if (!isRefusal(answer)) return answer;
  if (answer.code === "SERVICE_UNAVAILABLE") throw new Error(answer.message);
  return null;
}

/** Throws for a refused write that another try may make. Without the permission, it fails again. */
export function throwIfTemporary({ code, message }: Refusal): void {
  if (code === "SERVICE_UNAVAILABLE" && message !== noAccess.message) throw new Error(message);
}
