// Deletes a session.
import type { Actor } from "../../src/access/rules/actor.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { deleteSession } from "../../src/session/rules/update.ts";
import { usageTold } from "../chat/model-calls.ts";
import { within } from "../object/timeout.ts";
import type { SessionContext } from "./context.ts";
import { stopTurn } from "./update-stop.ts";

const forgetWaitMs = 5_000;

/** Stops the running turn, deletes the session, and answers once no list shows it. */
export async function remove(context: SessionContext, by: Actor): Promise<Refusal | null> {
  return await context.exclusively(async () => {
    await stopTurn(context, by);
    const { turn } = context.store.find()?.chat ?? {};
    // What the session has counted goes with it.
    if (turn) await within(usageTold(context, turn.id), forgetWaitMs);
    const removed = context.decide(by, deleteSession);
    if (isRefusal(removed)) return removed;
    await within(context.shell.settled("forget-session"), forgetWaitMs);
    return null;
  });
}
