// Manual commits and pushes in a session's checkout. The session ensures that no turn runs
// (`manual-change.ts`), and that a repeated request commits once.

import { checkManualChange } from "../../src/checkout/rules/manual-change.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import type { GitCommitted } from "../../src/sandbox-protocol/protocol.ts";
import { getVersion } from "../../src/session/rules/version.ts";
import { detachRpcResult, getSandboxObject } from "../address.ts";
import { noSession, type SessionContext } from "./context.ts";
import type { CommitRequest, PushRequest } from "./rpc.ts";

/** Commits every change. A repeat gets the first result. */
export async function commitInCheckout(
  context: SessionContext,
  request: CommitRequest,
  repeat: Idempotency | null,
): Promise<GitCommitted | Refusal> {
  const { once } = context;
  return await once.run(repeat, async () => {
    const committed = await commitNow(context, request);
    return once.decide(repeat, () => committed);
  });
}

/** Pushes the branch. A repeat gets the first result, and pushes nothing newer. */
export async function pushFromCheckout(
  context: SessionContext,
  { owner, userId }: PushRequest,
  repeat: Idempotency | null,
): Promise<Refusal | null> {
  const push = async () => {
    const state = context.store.find();
    if (!state) return noSession;
    if (isRefusal(owner)) return owner;
    const busy = checkManualChange(getVersion(state));
    if (busy) return busy;
    return await getSandboxObject(context.env, state.session.sandboxKey).push(owner, userId);
  };
  const { once } = context;
  const pushed = await once.run(repeat, async () => {
    const refusal = await push();
    return once.decide(repeat, () => refusal ?? true);
  });
  return isRefusal(pushed) ? pushed : null;
}

async function commitNow({ env, store, shell }: SessionContext, { owner, message, author }: CommitRequest) {
  const state = store.find();
  if (!state) return noSession;
  if (isRefusal(owner)) return owner;
  const busy = checkManualChange(getVersion(state));
  if (busy) return busy;
  const { turn } = state.chat;
  // A turn that was stopped before it ran ends immediately, while its sandbox may still be cleaning
  // up.
  if (turn !== null) await shell.settled({ type: "stop-turn", id: turn.id });
  return detachRpcResult(await getSandboxObject(env, state.session.sandboxKey).commit(owner, message, author));
}
