// What members do by hand in the checkout of a session, as far as the session has a say: whether, and that it is done once.

import { isUnfinished } from "../../src/rules/chat/turn.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import type { GitCommitted } from "../../src/sandbox/protocol.ts";
import { sandboxObject } from "../address.ts";
import { noSession, type SessionDesk } from "./context.ts";
import type { CommitRequest } from "./rpc.ts";

/** Commits every change, once for all requests that are the same. */
export async function commitInCheckout(
  desk: SessionDesk,
  order: CommitRequest,
  repeat: Idempotency | null,
): Promise<GitCommitted | Refusal> {
  if (repeat === null) return await commitNow(desk, order);
  return await desk.inTurn(repeat.key, async () => {
    const known = desk.firstAnswer(repeat);
    if (known) return isRefusal(known) ? known : (known.answer as GitCommitted);
    const committed = await commitNow(desk, order);
    if (!isRefusal(committed)) desk.answers.keep(repeat, committed, Date.now());
    return committed;
  });
}

async function commitNow({ env, store }: SessionDesk, { owner, message, author }: CommitRequest) {
  const state = store.find();
  if (!state) return noSession;
  if (isRefusal(owner)) return owner;
  if (isUnfinished(state.chat.turn)) return refuse("JOB_ACTIVE");
  return await sandboxObject(env, state.session.sandboxKey).commit(owner, message, author);
}
