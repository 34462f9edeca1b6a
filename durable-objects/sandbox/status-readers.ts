// The people who read along: who follows the sandbox's owner by an event stream looks at the sandbox. The owner is asked when the sandbox is about to
// pause, so that a stream costs the sandbox nothing before.
import { reasonOf } from "../../src/error-text.ts";
import { idleTimesOf } from "../../src/one-machine.ts";
import { touch } from "../../src/sandbox/rules/lifecycle.ts";
import { turnOwnerOf } from "../../src/sandbox/rules/owner.ts";
import { idleFrom } from "../../src/sandbox/rules/pause.ts";
import { turnOwnerObject } from "../address.ts";
import type { SandboxContext } from "./context.ts";

/** Notes when a person last read an event stream of the owner of a sandbox that is about to pause. */
export async function noteReaders({ env, access, shell }: SandboxContext): Promise<void> {
  const sandbox = access.sandbox();
  const owner = sandbox.owner && turnOwnerOf(sandbox.owner);
  const now = Date.now();
  if (sandbox.state !== "running" || !owner || now < idleFrom(sandbox, now, idleTimesOf(env))) return;
  try {
    const readAt = await turnOwnerObject(env, owner).lastReadAt();
    if (readAt !== null) shell.decide((current) => touch(current, readAt));
  } catch (error) {
    // It counts as not looked at: a sandbox must not run for ever because its owner does not answer.
    console.error("the readers of a sandbox are not known", access.key, reasonOf(error));
  }
}
